//! [`EventType`]: the 46 kinds of events, from one table.

use crate::payload::{self, PayloadLayout};
use crate::phase::Phase;

/// Where the timestamps of an event type come from.
///
/// ```
/// use sys_trace::{EventType, Group};
/// assert_eq!(EventType::DeviceExec.group(), Group::Hardware);
/// assert_eq!(Group::Hardware.text_name(), "hardware");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Measured on the host.
    Software,
    /// Reported by the device.
    Hardware,
}

impl Group {
    /// `software` or `hardware`.
    #[must_use]
    pub const fn text_name(self) -> &'static str {
        match self {
            Group::Software => "software",
            Group::Hardware => "hardware",
        }
    }
}

macro_rules! layout {
    (-) => {
        None
    };
    ($name:ident) => {
        Some(&payload::$name::LAYOUT)
    };
}

struct Row {
    name: &'static str,
    text_name: &'static str,
    group: Group,
    /// By phase number: start, stop, instant.
    payloads: [Option<&'static PayloadLayout>; 3],
}

macro_rules! event_types {
    ($(
        $number:literal $variant:ident $name:literal $text:literal $group:ident
        [$start:tt] [$stop:tt] [$instant:tt];
    )+) => {
        /// The kind of an event.
        ///
        /// Every type has a dense number, which records carry, and two names: the one of the
        /// enumeration (`DEVICE_EXEC`) and the one that text formats print (`nc_exec_running`).
        ///
        /// ```
        /// use sys_trace::{EventType, Phase};
        ///
        /// let event_type = EventType::from_name("nc_exec_running").unwrap();
        /// assert_eq!(event_type, EventType::DeviceExec);
        /// assert_eq!(event_type.number(), 7);
        /// assert_eq!(event_type.payload(Phase::Start).unwrap().name, "nc_exec_start");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum EventType {
            $(
                #[doc = concat!("`", $name, "`, printed as `", $text, "`.")]
                $variant = $number,
            )+
        }

        impl EventType {
            /// How many types there are.
            pub const COUNT: usize = EventType::ALL.len();

            /// Every type, in the order of the numbers.
            pub const ALL: [EventType; 46] = [$(EventType::$variant,)+];
        }

        /// Indexed by the number of the type.
        static ROWS: [Row; EventType::COUNT] = [$(Row {
            name: $name,
            text_name: $text,
            group: Group::$group,
            payloads: [layout!($start), layout!($stop), layout!($instant)],
        },)+];
    };
}

// number, variant, name, text name, group, payload of start, stop and instant
#[rustfmt::skip]
event_types! {
    0 Generic "GENERIC" "generic" Software [-] [-] [-];
    1 ModelLoad "MODEL_LOAD" "nrt_load" Software [-] [ModelLoadStop] [-];
    2 PostRequest "POST_REQUEST" "exec_post_request" Software [ExecPostRequest] [ExecPostRequest] [ExecPostRequest];
    3 ExecuteApi "EXECUTE_API" "nrt_execute" Software [NrtExec] [NrtExec] [NrtExec];
    4 RuntimeExecute "RUNTIME_EXECUTE" "runtime_execute" Software [RuntimeExec] [RuntimeExec] [RuntimeExec];
    5 CcLoad "CC_LOAD" "cc_load" Software [CcLoadStart] [CcLoadStop] [-];
    6 CcExecBarrier "CC_EXEC_BARRIER" "cc_exec_barrier" Hardware [CcExecBarrierStart] [CcExecBarrierStop] [-];
    7 DeviceExec "DEVICE_EXEC" "nc_exec_running" Hardware [NcExecStart] [NcExecStop] [-];
    8 CcExec "CC_EXEC" "cc_running" Hardware [CcExecStart] [CcExecStop] [-];
    9 TensorRead "TENSOR_READ" "nrt_tensor_read" Software [ExecTensorRead] [ExecTensorRead] [ExecTensorRead];
    10 TensorWrite "TENSOR_WRITE" "nrt_tensor_write" Software [ExecTensorWrite] [ExecTensorWrite] [ExecTensorWrite];
    11 TensorReadBatch "TENSOR_READ_BATCH" "nrt_tensor_read_batch" Software [ExecTensorReadBatch] [ExecTensorReadBatch] [ExecTensorReadBatch];
    12 TensorWriteBatch "TENSOR_WRITE_BATCH" "nrt_tensor_write_batch" Software [ExecTensorWriteBatch] [ExecTensorWriteBatch] [ExecTensorWriteBatch];
    13 NumErr "NUM_ERR" "numerical_err" Hardware [-] [-] [NumErr];
    14 EncBarrierRecv "ENC_BARRIER_RECV" "enc_barrier_recv" Software [EncBarrierRecv] [EncBarrierRecv] [EncBarrierRecv];
    15 EncBarrierSend "ENC_BARRIER_SEND" "enc_barrier_send" Software [EncBarrierSend] [EncBarrierSend] [EncBarrierSend];
    16 EncBarrier "ENC_BARRIER" "enc_barrier" Software [EncBarrier] [EncBarrier] [EncBarrier];
    17 ExecPre "EXEC_PRE" "kbl_exec_pre" Software [ExecPre] [ExecPre] [ExecPre];
    18 ExecCore "EXEC_CORE" "kmgr_exec_core" Software [ExecCore] [ExecCore] [ExecCore];
    19 ExecWait "EXEC_WAIT" "kbl_exec_wait" Software [ExecWait] [ExecWait] [ExecWait];
    20 ExecPost "EXEC_POST" "kbl_exec_post" Software [ExecPost] [ExecPost] [ExecPost];
    21 ModelSwitch "MODEL_SWITCH" "nrt_model_switch" Hardware [ModelSwitch] [ModelSwitch] [ModelSwitch];
    22 ModelSubmit "MODEL_SUBMIT" "nrt_model_submit" Software [ModelSubmit] [ModelSubmit] [ModelSubmit];
    23 AsyncSemaWait "ASYNC_SEMA_WAIT" "nrt_async_sema_wait" Software [AsyncSemaWait] [AsyncSemaWait] [AsyncSemaWait];
    24 HwNotify "HW_NOTIFY" "hw_notify" Hardware [-] [-] [HwNotify];
    25 TimestampSync "TIMESTAMP_SYNC" "timestamp_sync_point" Hardware [-] [-] [TimestampSync];
    26 NcModelSwitch "NC_MODEL_SWITCH" "nc_model_switch" Software [NcModelSwitchStart] [NcModelSwitchStop] [-];
    27 TensorAlloc "TENSOR_ALLOC" "nrt_tensor_allocate" Software [ExecTensorAlloc] [ExecTensorAlloc] [ExecTensorAlloc];
    28 TensorFree "TENSOR_FREE" "nrt_tensor_free" Software [ExecTensorFree] [ExecTensorFree] [ExecTensorFree];
    29 TensorBlockWhileExec "TENSOR_BLOCK_WHILE_EXEC" "tensor_block_while_exec" Software [ExecTensorBlock] [ExecTensorBlock] [ExecTensorBlock];
    30 DmemBufCopyin "DMEM_BUF_COPYIN" "dmem_buf_copyin" Software [DmemBufCopyin] [DmemBufCopyin] [DmemBufCopyin];
    31 DmemBufCopyout "DMEM_BUF_COPYOUT" "dmem_buf_copyout" Software [DmemBufCopyout] [DmemBufCopyout] [DmemBufCopyout];
    32 DmemBufBatchCopyin "DMEM_BUF_BATCH_COPYIN" "dmem_buf_batch_copyin" Software [DmemBufBatchCopyin] [DmemBufBatchCopyin] [DmemBufBatchCopyin];
    33 DmemBufBatchCopyout "DMEM_BUF_BATCH_COPYOUT" "dmem_buf_batch_copyout" Software [DmemBufBatchCopyout] [DmemBufBatchCopyout] [DmemBufBatchCopyout];
    34 DmaMemAlloc "DMA_MEM_ALLOC" "nrt_dma_mem_alloc" Software [DmaMemAllocStart] [DmaMemAllocStop] [DmaMemAllocStart];
    35 DmaMemDealloc "DMA_MEM_DEALLOC" "nrt_dma_mem_dealloc" Software [DmaMemDeallocStart] [DmaMemDeallocStop] [DmaMemDeallocStart];
    36 ConsumeTpbStatusNotifications "CONSUME_TPB_STATUS_NOTIFICATIONS" "exec_consume_tpb_status_notifications" Software [-] [-] [-];
    37 ConsumeTopspCcNotifications "CONSUME_TOPSP_CC_NOTIFICATIONS" "exec_consume_cc_core_notifications" Software [ModelExec] [ModelExec] [ModelExec];
    38 ConsumeErrorNotifications "CONSUME_ERROR_NOTIFICATIONS" "notification_consume_errors" Software [ModelExec] [ModelExec] [ModelExec];
    39 ConsumePoolStdio "CONSUME_POOL_STDIO" "exec_consume_gpsimd_stdio" Software [ModelExec] [ModelExec] [ModelExec];
    40 CcPrepare "CC_PREPARE" "cc_prepare" Software [HostccPrepare] [HostccPrepare] [HostccPrepare];
    41 CcSchedule "CC_SCHEDULE" "cc_schedule" Software [HostccSchedule] [HostccSchedule] [HostccSchedule];
    42 HostccBuildContext "HOSTCC_BUILD_CONTEXT" "hostcc_build_context" Software [HostccBuildCtx] [HostccBuildCtx] [HostccBuildCtx];
    43 HostccLoad "HOSTCC_LOAD" "hostcc_load" Software [HostccLoad] [HostccLoad] [HostccLoad];
    44 HostccExec "HOSTCC_EXEC" "hostcc_exec" Software [HostccExec] [HostccExec] [HostccExec];
    45 HostccWait "HOSTCC_WAIT" "hostcc_wait" Software [HostccWait] [HostccWait] [HostccWait];
}

// `from_number` and `ROWS` index by number.
const _: () = {
    let mut number = 0;
    while number < EventType::COUNT {
        assert!(EventType::ALL[number] as usize == number, "numbers are not dense");
        number += 1;
    }
};

impl EventType {
    /// The number that records carry: 0 to 45.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The type with this number, `None` from 46 on.
    ///
    /// ```
    /// use sys_trace::EventType;
    /// assert_eq!(EventType::from_number(45), Some(EventType::HostccWait));
    /// assert_eq!(EventType::from_number(46), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_number(number: u32) -> Option<EventType> {
        if number < EventType::COUNT as u32 { Some(EventType::ALL[number as usize]) } else { None }
    }

    /// The name in the enumeration, for instance `DEVICE_EXEC`.
    #[must_use]
    pub fn name(self) -> &'static str {
        ROWS[self as usize].name
    }

    /// The name in text formats, for instance `nc_exec_running`.
    #[must_use]
    pub fn text_name(self) -> &'static str {
        ROWS[self as usize].text_name
    }

    /// Whether host or device measures it.
    #[must_use]
    pub fn group(self) -> Group {
        ROWS[self as usize].group
    }

    /// The type with this name: either name, upper and lower case alike. No two types share one.
    ///
    /// ```
    /// use sys_trace::EventType;
    /// for name in ["CC_EXEC", "cc_exec", "cc_running"] {
    ///     assert_eq!(EventType::from_name(name), Some(EventType::CcExec));
    /// }
    /// assert_eq!(EventType::from_name("cc"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<EventType> {
        EventType::ALL.into_iter().find(|event_type| {
            name.eq_ignore_ascii_case(event_type.name())
                || name.eq_ignore_ascii_case(event_type.text_name())
        })
    }

    /// What the payload of an event of this type and phase means; `None` if it carries none.
    ///
    /// ```
    /// use sys_trace::{EventType, Phase};
    /// assert!(EventType::ModelLoad.payload(Phase::Start).is_none());
    /// assert_eq!(EventType::ModelLoad.payload(Phase::Stop).unwrap().size, 8);
    /// ```
    #[must_use]
    pub fn payload(self, phase: Phase) -> Option<&'static PayloadLayout> {
        *ROWS[self as usize].payloads.get(phase as usize)?
    }
}

/// The name in text formats.
impl core::fmt::Display for EventType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.text_name())
    }
}
