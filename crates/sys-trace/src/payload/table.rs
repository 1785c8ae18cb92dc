//! One row per meaning of the payload: the single place where their fields and offsets stand.

use super::{Field, Payload, PayloadLayout, Raw, SyncInfo};

/// Per row: the struct, its layout, and both conversions.
macro_rules! payloads {
    ($(
        $(#[$doc:meta])*
        $name:ident $text:literal $size:literal {
            $($(#[$field_doc:meta])* $field:ident: $ty:ty = $offset:literal,)+
        }
    )+) => {
        $(
            $(#[$doc])*
            ///
            #[doc = concat!("Described as `", $text, "`, ", $size, " bytes.")]
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
            pub struct $name {
                $(
                    $(#[$field_doc])*
                    #[doc = concat!(" At byte ", $offset, ".")]
                    pub $field: $ty,
                )+
            }

            impl $name {
                /// Description of the layout, for code that does not know the struct.
                pub const LAYOUT: PayloadLayout = PayloadLayout {
                    name: $text,
                    size: $size,
                    fields: &[$(Field {
                        name: stringify!($field),
                        offset: $offset,
                        ty: <$ty as Raw>::TYPE,
                    },)+],
                }
                .checked();

                /// Reads the fields from a payload. Any bytes are valid.
                #[inline]
                #[must_use]
                pub fn read(payload: &Payload) -> $name {
                    $name { $($field: Raw::get(payload.bytes(), $offset),)+ }
                }
            }

            impl From<$name> for Payload {
                #[inline]
                fn from(value: $name) -> Payload {
                    let mut bytes = [0; Payload::SIZE];
                    $(value.$field.put(&mut bytes, $offset);)+
                    Payload::from_bytes(bytes)
                }
            }
        )+

        /// Every meaning above, in the order of the table.
        ///
        /// ```
        /// use sys_trace::payload::{LAYOUTS, NcExecStart};
        /// assert!(LAYOUTS.contains(&&NcExecStart::LAYOUT));
        /// ```
        pub const LAYOUTS: &[&PayloadLayout] = &[$(&$name::LAYOUT,)+];
    };
}

payloads! {
    /// Payload of [`ModelLoad`](crate::EventType::ModelLoad) (stop).
    ModelLoadStop "model_load_stop" 8 {
        /// Interned id of the model.
        model_id: u64 = 0,
    }

    /// Payload of [`PostRequest`](crate::EventType::PostRequest) (start, stop and instant).
    ExecPostRequest "exec_post_request" 16 {
        /// Interned id of the model.
        model_id: u64 = 0,
        /// Number of the request in its queue.
        request_id: u32 = 8,
    }

    /// Payload of [`ExecuteApi`](crate::EventType::ExecuteApi) (start, stop and instant).
    NrtExec "nrt_exec" 8 {
        /// Interned id of the model.
        model_id: u64 = 0,
    }

    /// Payload of [`RuntimeExecute`](crate::EventType::RuntimeExecute) (start, stop and instant).
    RuntimeExec "runtime_exec" 8 {
        /// Interned id of the model.
        model_id: u64 = 0,
    }

    /// Payload of [`CcLoad`](crate::EventType::CcLoad) (start).
    CcLoadStart "cc_load_start" 8 {
        /// Rank of this device in the whole collective.
        g_device_id: u32 = 0,
        /// Devices in the whole collective.
        g_device_count: u32 = 4,
    }

    /// Payload of [`CcLoad`](crate::EventType::CcLoad) (stop).
    CcLoadStop "cc_load_stop" 8 {
        /// Interned id of the model.
        model_id: u64 = 0,
    }

    /// Payload of [`CcExecBarrier`](crate::EventType::CcExecBarrier) (start).
    CcExecBarrierStart "cc_exec_barrier_start" 32 {
        /// Interned id of the model.
        model_id: u64 = 0,
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u32 = 8,
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 16,
    }

    /// Payload of [`CcExecBarrier`](crate::EventType::CcExecBarrier) (stop).
    CcExecBarrierStop "cc_exec_barrier_stop" 16 {
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 0,
    }

    /// Payload of [`DeviceExec`](crate::EventType::DeviceExec) (start).
    NcExecStart "nc_exec_start" 24 {
        /// Core index as the device counts.
        device_core_idx: u32 = 0,
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u32 = 4,
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 8,
    }

    /// Payload of [`DeviceExec`](crate::EventType::DeviceExec) (stop).
    NcExecStop "nc_exec_stop" 16 {
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 0,
    }

    /// Payload of [`CcExec`](crate::EventType::CcExec) (start).
    CcExecStart "cc_exec_start" 40 {
        /// Number of the collective group.
        gid: u32 = 0,
        /// Number of the operation in its group.
        op_id: u32 = 4,
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u32 = 8,
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 16,
        /// Number of the collective algorithm.
        algo: u32 = 32,
    }

    /// Payload of [`CcExec`](crate::EventType::CcExec) (stop).
    CcExecStop "cc_exec_stop" 16 {
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 0,
    }

    /// Payload of [`TensorRead`](crate::EventType::TensorRead) (start, stop and instant).
    ExecTensorRead "exec_tensor_read" 16 {
        /// Id of the tensor.
        tensor_id: u64 = 0,
        /// Bytes.
        size: u64 = 8,
    }

    /// Payload of [`TensorWrite`](crate::EventType::TensorWrite) (start, stop and instant).
    ExecTensorWrite "exec_tensor_write" 16 {
        /// Id of the tensor.
        tensor_id: u64 = 0,
        /// Bytes.
        size: u64 = 8,
    }

    /// Payload of [`TensorAlloc`](crate::EventType::TensorAlloc) (start, stop and instant).
    ExecTensorAlloc "exec_tensor_alloc" 16 {
        /// Id of the tensor.
        tensor_id: u64 = 0,
        /// Bytes.
        size: u64 = 8,
    }

    /// Payload of [`TensorReadBatch`](crate::EventType::TensorReadBatch) (start, stop and
    /// instant).
    ExecTensorReadBatch "exec_tensor_read_batch" 4 {
        /// Batches in the call.
        num_batches: u32 = 0,
    }

    /// Payload of [`TensorWriteBatch`](crate::EventType::TensorWriteBatch) (start, stop and
    /// instant).
    ExecTensorWriteBatch "exec_tensor_write_batch" 4 {
        /// Batches in the call.
        num_batches: u32 = 0,
    }

    /// Payload of [`TensorFree`](crate::EventType::TensorFree) (start, stop and instant).
    ExecTensorFree "exec_tensor_free" 24 {
        /// Id of the tensor.
        tensor_id: u64 = 0,
        /// Bytes.
        size: u64 = 8,
        /// References left.
        ref_count: u64 = 16,
    }

    /// Payload of [`TensorBlockWhileExec`](crate::EventType::TensorBlockWhileExec) (start, stop
    /// and instant).
    ExecTensorBlock "exec_tensor_block" 24 {
        /// Id of the tensor.
        tensor_id: u64 = 0,
        /// Readers that still wait.
        pending_reader_count: u64 = 8,
        /// Writers that still wait.
        pending_writer_count: u64 = 16,
    }

    /// Payload of [`NumErr`](crate::EventType::NumErr) (instant).
    NumErr "num_err" 24 {
        /// Core index as the device counts.
        device_core_idx: u32 = 0,
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u32 = 4,
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 8,
    }

    /// Payload of [`EncBarrierRecv`](crate::EventType::EncBarrierRecv) (start, stop and instant).
    EncBarrierRecv "enc_barrier_recv" 24 {
        /// Rank of the other side; negative = none.
        peer_id: i32 = 0,
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 8,
        /// Device number in the collective layer; negative = none.
        nec_dev_id: i32 = 16,
    }

    /// Payload of [`EncBarrierSend`](crate::EventType::EncBarrierSend) (start, stop and instant).
    EncBarrierSend "enc_barrier_send" 24 {
        /// Rank of the other side; negative = none.
        peer_id: i32 = 0,
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 8,
        /// Device number in the collective layer; negative = none.
        nec_dev_id: i32 = 16,
    }

    /// Payload of [`EncBarrier`](crate::EventType::EncBarrier) (start, stop and instant).
    EncBarrier "enc_barrier" 24 {
        /// Rank of the other side; negative = none.
        peer_id: i32 = 0,
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 8,
        /// Device number in the collective layer; negative = none.
        nec_dev_id: i32 = 16,
    }

    /// Payload of [`ExecPre`](crate::EventType::ExecPre) (start, stop and instant).
    ExecPre "exec_pre" 16 {
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 0,
        /// Interned id of the model.
        model_id: u64 = 8,
    }

    /// Payload of [`ExecCore`](crate::EventType::ExecCore) (start, stop and instant).
    ExecCore "exec_core" 16 {
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 0,
        /// Interned id of the model.
        model_id: u64 = 8,
    }

    /// Payload of [`ExecWait`](crate::EventType::ExecWait) (start, stop and instant).
    ExecWait "exec_wait" 16 {
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 0,
        /// Interned id of the model.
        model_id: u64 = 8,
    }

    /// Payload of [`ExecPost`](crate::EventType::ExecPost) (start, stop and instant).
    ExecPost "exec_post" 16 {
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 0,
        /// Interned id of the model.
        model_id: u64 = 8,
    }

    /// Payload of [`ConsumeTopspCcNotifications`](crate::EventType::ConsumeTopspCcNotifications),
    /// [`ConsumeErrorNotifications`](crate::EventType::ConsumeErrorNotifications) and
    /// [`ConsumePoolStdio`](crate::EventType::ConsumePoolStdio) (start, stop and instant).
    ModelExec "model_exec" 16 {
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 0,
        /// Interned id of the model.
        model_id: u64 = 8,
    }

    /// Payload of [`ModelSwitch`](crate::EventType::ModelSwitch) (start, stop and instant).
    ModelSwitch "model_switch" 24 {
        /// Core index as the device counts.
        device_core_idx: u32 = 0,
        /// Interned id of the model.
        model_id: u64 = 8,
        /// Whether the core itself does the work.
        is_neuron_core_work: bool = 16,
    }

    /// Payload of [`ModelSubmit`](crate::EventType::ModelSubmit) (start, stop and instant).
    ModelSubmit "model_submit" 8 {
        /// Interned id of the model.
        model_id: u64 = 0,
    }

    /// Payload of [`AsyncSemaWait`](crate::EventType::AsyncSemaWait) (start, stop and instant).
    AsyncSemaWait "async_sema_wait" 16 {
        /// Request slots free at the moment of the event.
        available_request_slots: u64 = 0,
        /// Whether there was work to wait for.
        has_work: bool = 8,
    }

    /// Payload of [`HwNotify`](crate::EventType::HwNotify) (instant).
    HwNotify "hw_notify" 40 {
        /// Core index as the device counts.
        device_core_idx: u32 = 0,
        /// What the notification is about.
        hint: u16 = 4,
        /// Word supplied by the notifying program.
        custom_data: u32 = 8,
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 16,
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 24,
    }

    /// Payload of [`TimestampSync`](crate::EventType::TimestampSync) (instant).
    TimestampSync "timestamp_sync" 24 {
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 0,
        /// Device clock, ns.
        nc_timestamp_ns: u64 = 8,
        /// Host clock, ns.
        cpu_timestamp_ns: u64 = 16,
    }

    /// Payload of [`NcModelSwitch`](crate::EventType::NcModelSwitch) (start).
    NcModelSwitchStart "nc_model_switch_start" 40 {
        /// Core index as the device counts.
        device_core_idx: u32 = 0,
        /// Interned id of the model.
        model_id: u64 = 8,
        /// Number of the execution; ties the events of one run to its sync point.
        exec_id: u64 = 16,
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 24,
    }

    /// Payload of [`NcModelSwitch`](crate::EventType::NcModelSwitch) (stop).
    NcModelSwitchStop "nc_model_switch_stop" 16 {
        /// Device time of the event and the host time beside it.
        sync_info: SyncInfo = 0,
    }

    /// Payload of [`DmemBufCopyin`](crate::EventType::DmemBufCopyin) (start, stop and instant).
    DmemBufCopyin "dmem_buf_copyin" 24 {
        /// Number of the kind of memory.
        mem_type: u8 = 0,
        /// Handle of the memory.
        mem_handle: u64 = 8,
        /// Bytes from the start of the memory.
        offset: u32 = 16,
        /// Bytes.
        size: u32 = 20,
    }

    /// Payload of [`DmemBufCopyout`](crate::EventType::DmemBufCopyout) (start, stop and instant).
    DmemBufCopyout "dmem_buf_copyout" 24 {
        /// Number of the kind of memory.
        mem_type: u8 = 0,
        /// Handle of the memory.
        mem_handle: u64 = 8,
        /// Bytes from the start of the memory.
        offset: u32 = 16,
        /// Bytes.
        size: u32 = 20,
    }

    /// Payload of [`DmemBufBatchCopyin`](crate::EventType::DmemBufBatchCopyin) (start, stop and
    /// instant).
    DmemBufBatchCopyin "dmem_buf_batch_copyin" 24 {
        /// Number of the kind of memory.
        mem_type: u8 = 0,
        /// Batches in the call.
        num_batches: u32 = 4,
        /// Copies in all batches together.
        total_num_ops: u32 = 8,
        /// Bytes in all batches together.
        total_size: u64 = 16,
    }

    /// Payload of [`DmemBufBatchCopyout`](crate::EventType::DmemBufBatchCopyout) (start, stop and
    /// instant).
    DmemBufBatchCopyout "dmem_buf_batch_copyout" 24 {
        /// Number of the kind of memory.
        mem_type: u8 = 0,
        /// Batches in the call.
        num_batches: u32 = 4,
        /// Copies in all batches together.
        total_num_ops: u32 = 8,
        /// Bytes in all batches together.
        total_size: u64 = 16,
    }

    /// Payload of [`DmaMemAlloc`](crate::EventType::DmaMemAlloc) (start and instant).
    DmaMemAllocStart "dma_mem_alloc_start" 16 {
        /// Index of the memory bank.
        hbm_idx: u32 = 0,
        /// Number of the purpose of the memory.
        usage_type: u32 = 4,
        /// Whether the bank is the core's own.
        is_nc_hbm: bool = 8,
        /// Whether an alignment was asked for.
        is_aligned: bool = 9,
        /// Index of the accelerator.
        mla_idx: u32 = 12,
    }

    /// Payload of [`DmaMemAlloc`](crate::EventType::DmaMemAlloc) (stop).
    DmaMemAllocStop "dma_mem_alloc_stop" 40 {
        /// Bytes allocated.
        allocated_bytes: u64 = 0,
        /// Address on the device.
        physical_address: u64 = 8,
        /// Result of the call; 0 = success.
        return_code: u64 = 16,
        /// Bytes in use for this purpose after the call.
        usage_type_total_bytes: u64 = 24,
        /// Bytes in use for all purposes after the call.
        total_bytes: u64 = 32,
    }

    /// Payload of [`DmaMemDealloc`](crate::EventType::DmaMemDealloc) (start and instant).
    DmaMemDeallocStart "dma_mem_dealloc_start" 24 {
        /// Index of the memory bank.
        hbm_idx: u32 = 0,
        /// Whether the bank is the core's own.
        is_nc_hbm: bool = 4,
        /// Index of the accelerator.
        mla_idx: u32 = 8,
        /// Number of the purpose of the memory.
        usage_type: u32 = 12,
        /// Address on the device.
        physical_address: u64 = 16,
    }

    /// Payload of [`DmaMemDealloc`](crate::EventType::DmaMemDealloc) (stop).
    DmaMemDeallocStop "dma_mem_dealloc_stop" 24 {
        /// Bytes freed.
        freed_bytes: u64 = 0,
        /// Bytes in use for this purpose after the call.
        usage_type_total_bytes: u64 = 8,
        /// Bytes in use for all purposes after the call.
        total_bytes: u64 = 16,
    }

    /// Payload of [`CcPrepare`](crate::EventType::CcPrepare) (start, stop and instant).
    HostccPrepare "hostcc_prepare" 12 {
        /// Rank of this device in the context.
        ctx_device_id: u32 = 0,
        /// Devices in the context.
        ctx_device_count: u32 = 4,
        /// Number of the collective operation.
        cc_op: u32 = 8,
    }

    /// Payload of [`CcSchedule`](crate::EventType::CcSchedule) (start, stop and instant).
    HostccSchedule "hostcc_schedule" 8 {
        /// Rank of this device in the context.
        ctx_device_id: u32 = 0,
        /// Devices in the context.
        ctx_device_count: u32 = 4,
    }

    /// Payload of [`HostccBuildContext`](crate::EventType::HostccBuildContext) (start, stop and
    /// instant).
    HostccBuildCtx "hostcc_build_ctx" 8 {
        /// Rank of this device in the context.
        ctx_device_id: u32 = 0,
        /// Devices in the context.
        ctx_device_count: u32 = 4,
    }

    /// Payload of [`HostccLoad`](crate::EventType::HostccLoad) (start, stop and instant).
    HostccLoad "hostcc_load" 16 {
        /// Number of the encoded operation.
        enc_op: u32 = 0,
        /// Number of the element type.
        dtype: u32 = 4,
        /// Elements.
        num_elem: u64 = 8,
    }

    /// Payload of [`HostccExec`](crate::EventType::HostccExec) (start, stop and instant).
    HostccExec "hostcc_exec" 4 {
        /// Number of the stream.
        stream_id: u32 = 0,
    }

    /// Payload of [`HostccWait`](crate::EventType::HostccWait) (start, stop and instant).
    HostccWait "hostcc_wait" 4 {
        /// Notifications to wait for.
        total_notif_expected: u32 = 0,
    }
}
