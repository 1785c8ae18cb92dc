//! A capture that ends with its handle.

use crate::config::Config;
use crate::engine::Engine;
use crate::error::{StartError, StopError};
use crate::storage::{DefaultStorage, Storage};

/// A running capture; it stops when this is dropped, also while unwinding.
///
/// Only this one: if somebody else has stopped it and started another, the drop leaves that alone.
/// What was not drained by then is counted as discarded, as by every stop.
///
/// Dropping cannot fail, and waits no longer than [`Engine::stop`]. If that gives up because an
/// emitter is still inside, nothing is recorded any more, but the rings are kept and no other capture
/// can be started until an [`Engine::close`] has succeeded. Who must know calls
/// [`stop`](Self::stop) before the drop.
///
/// The handle may be sent to another thread. Leaked (`mem::forget`), or [detached](Self::detach),
/// it leaves the capture running.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use sys_trace::{ActiveCapture, Config, Engine, EventType, Payload, Phase, StartError};
///
/// static ENGINE: Engine = Engine::new();
///
/// let capture: ActiveCapture<'static> = ENGINE.capture(&Config::new())?;
/// capture.engine().emit(0, EventType::Generic, Phase::Instant, Payload::ZERO);
/// assert_eq!(capture.engine().drain_all(usize::MAX).unwrap().len(), 1);
/// drop(capture);
/// assert!(!ENGINE.is_capturing());
/// # }
/// # Ok::<(), sys_trace::StartError>(())
/// ```
#[must_use = "the capture stops when this is dropped: bind it to a name"]
pub struct ActiveCapture<'a, const SHARDS: usize = 256, S: Storage = DefaultStorage> {
    engine: &'a Engine<SHARDS, S>,
    epoch: u64,
}

impl<const SHARDS: usize, S: Storage> Engine<SHARDS, S> {
    /// [`start`](Self::start) of a capture that stops when the handle is dropped.
    ///
    /// # Errors
    /// [`StartError`], with the engine as it was; a running capture goes on.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine};
    /// let engine: Box<Engine<1>> = Box::default();
    /// let capture = engine.capture(&Config::new()).unwrap();
    /// assert!(engine.capture(&Config::new()).is_err(), "there is one");
    /// capture.stop().unwrap();
    /// # }
    /// ```
    pub fn capture(&self, config: &Config) -> Result<ActiveCapture<'_, SHARDS, S>, StartError> {
        self.start_numbered(config).map(|epoch| ActiveCapture { engine: self, epoch })
    }
}

impl<'a, const SHARDS: usize, S: Storage> ActiveCapture<'a, SHARDS, S> {
    /// The engine, for as long as it is borrowed.
    #[must_use]
    pub const fn engine(&self) -> &'a Engine<SHARDS, S> {
        self.engine
    }

    /// The number of the capture, as [`CaptureInfo::epoch`](crate::CaptureInfo::epoch) has it.
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// [`Engine::stop`] of this capture.
    ///
    /// # Errors
    /// [`StopError::NotCapturing`] if it has been stopped, by whomever.
    /// [`StopError::StillInside`] as by `Engine::stop`; another call goes on from there.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use sys_trace::{Config, Engine, StopError};
    /// let engine: Box<Engine<1>> = Box::default();
    /// let first = engine.capture(&Config::new()).unwrap();
    /// assert_eq!(first.stop(), Ok(()));
    /// let second = engine.capture(&Config::new()).unwrap();
    /// assert_eq!(first.stop(), Err(StopError::NotCapturing));
    /// drop(first);
    /// assert!(engine.is_capturing(), "the second goes on");
    /// # drop(second);
    /// # }
    /// ```
    pub fn stop(&self) -> Result<(), StopError> {
        self.engine.stop_only(Some(self.epoch))
    }

    /// [`stop`](Self::stop) that does not mind if it has been stopped.
    ///
    /// # Errors
    /// [`StopError::StillInside`], as for `stop`.
    pub fn close(&self) -> Result<(), StopError> {
        match self.stop() {
            Err(StopError::NotCapturing) => Ok(()),
            other => other,
        }
    }

    /// Lets the capture run on without its handle.
    pub fn detach(self) {
        core::mem::forget(self);
    }
}

impl<const SHARDS: usize, S: Storage> Drop for ActiveCapture<'_, SHARDS, S> {
    fn drop(&mut self) {
        // Told in the type's documentation: there is nobody to give the error to.
        let _ = self.close();
    }
}

impl<const SHARDS: usize, S: Storage> core::fmt::Debug for ActiveCapture<'_, SHARDS, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ActiveCapture").field("epoch", &self.epoch).finish_non_exhaustive()
    }
}
