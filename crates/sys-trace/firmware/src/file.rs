//! A file on the machine that runs the emulator, through semihosting.

use core::ffi::CStr;

use cortex_m_semihosting::{nr, syscall};

/// A file that is being written.
pub struct File(usize);

/// The host did not take all of it.
#[derive(Debug)]
pub struct Refused;

impl File {
    pub fn create(name: &CStr) -> Result<File, Refused> {
        let length = name.count_bytes();
        // SAFETY: the host reads so many bytes of the name, and its end.
        let handle = unsafe { syscall!(OPEN, name.as_ptr(), nr::open::W_TRUNC_BINARY, length) };
        if handle == usize::MAX { Err(Refused) } else { Ok(File(handle)) }
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        // SAFETY: the host reads the bytes and answers how many it did not write.
        let left = unsafe { syscall!(WRITE, self.0, bytes.as_ptr(), bytes.len()) };
        if left == 0 { Ok(()) } else { Err(Refused) }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: nobody uses the handle any more.
        unsafe { syscall!(CLOSE, self.0) };
    }
}
