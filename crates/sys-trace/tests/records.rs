//! The data model against the two reference tables, row by row and both ways.

use std::collections::{BTreeMap, BTreeSet};

use sys_trace::payload::{self, Generic, LAYOUTS, SyncInfo};
use sys_trace::{
    Counts, Event, EventSet, EventType, FieldType, FieldValue, Group, Payload, Phase, ShardCounts,
    ShardSet, ShardSetError,
};

const EVENTS: &str = include_str!("data/events.tsv");
const PAYLOADS: &str = include_str!("data/payloads.tsv");

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split('\t').collect())
}

#[test]
fn every_event_type_of_the_table_is_in_the_code_and_back() {
    let mut seen = 0;
    for row in rows(EVENTS) {
        let [number, name, text, group, start, stop, instant] = row[..] else {
            panic!("bad row {row:?}")
        };
        let event_type = EventType::from_number(number.parse().unwrap()).unwrap();
        assert_eq!(event_type, EventType::ALL[seen]);
        assert_eq!(event_type.number().to_string(), number);
        assert_eq!((event_type.name(), event_type.text_name()), (name, text));
        assert_eq!(event_type.group().text_name(), group);
        assert_eq!(EventType::from_name(name), Some(event_type));
        assert_eq!(EventType::from_name(text), Some(event_type));
        let camel: String = name
            .split('_')
            .map(|word| format!("{}{}", &word[..1], word[1..].to_lowercase()))
            .collect();
        assert_eq!(format!("{event_type:?}"), camel);
        assert_eq!(format!("{event_type:>40}"), format!("{text:>40}"));
        for (phase, expected) in Phase::ALL.into_iter().zip([start, stop, instant, "-"]) {
            let layout = event_type.payload(phase);
            assert_eq!(layout.map_or("-", |layout| layout.name), expected, "{name} {phase:?}");
            assert!(layout.is_none_or(|layout| LAYOUTS.contains(&layout)));
        }
        seen += 1;
    }
    assert_eq!(seen, EventType::COUNT);
    assert_eq!(EventType::from_number(46), None);
    assert_eq!(EventType::from_number(u32::MAX), None);
}

#[test]
fn no_name_means_two_types_and_no_type_is_called_like_a_word_of_the_set_grammar() {
    let mut owner = BTreeMap::new();
    for event_type in EventType::ALL {
        for name in [event_type.name(), event_type.text_name()] {
            let name = name.to_lowercase();
            assert!(!["all", "none", "hardware", "software"].contains(&name.as_str()));
            let before = owner.insert(name, event_type);
            assert!(before.is_none_or(|before| before == event_type), "{event_type:?}");
        }
    }
}

#[test]
fn every_payload_of_the_table_is_in_the_code_and_back() {
    let mut listed = BTreeSet::new();
    for (row, layout) in rows(PAYLOADS).zip(LAYOUTS) {
        let [name, size, fields] = row[..] else { panic!("bad row {row:?}") };
        assert_eq!((layout.name, layout.size.to_string().as_str()), (name, size));
        let ours: Vec<String> = layout
            .fields
            .iter()
            .map(|field| {
                let ty = format!("{:?}", field.ty).to_lowercase();
                format!("{}:{ty}:{}", field.offset, field.name)
            })
            .collect();
        assert_eq!(ours.join(" "), fields);
        assert!(listed.insert(name));
    }
    assert_eq!(rows(PAYLOADS).count(), LAYOUTS.len());
    let used: BTreeSet<&str> = EventType::ALL
        .into_iter()
        .flat_map(|event_type| Phase::ALL.map(|phase| event_type.payload(phase)))
        .flatten()
        .map(|layout| layout.name)
        .collect();
    assert_eq!(used, listed);
}

/// Distinct bytes, so that a field read from the wrong place shows.
fn numbered() -> Payload {
    Payload::from_bytes(std::array::from_fn(|index| index as u8 + 1))
}

#[test]
fn fields_read_exactly_the_bytes_at_their_offset() {
    let payload = numbered();
    let bytes = payload.bytes();
    for layout in LAYOUTS {
        for field in layout.fields {
            let own = &bytes[field.offset..field.offset + field.ty.size()];
            let number = |own: &[u8]| {
                let mut wide = [0; 8];
                if cfg!(target_endian = "little") {
                    wide[..own.len()].copy_from_slice(own);
                } else {
                    wide[8 - own.len()..].copy_from_slice(own);
                }
                u64::from_ne_bytes(wide)
            };
            let expected = match field.ty {
                FieldType::U64 => FieldValue::U64(number(own)),
                FieldType::U32 => FieldValue::U32(number(own) as u32),
                FieldType::I32 => FieldValue::I32(number(own) as i32),
                FieldType::U16 => FieldValue::U16(number(own) as u16),
                FieldType::U8 => FieldValue::U8(number(own) as u8),
                FieldType::Bool => FieldValue::Bool(true),
                FieldType::Sync => FieldValue::Sync(SyncInfo {
                    nc_timestamp_ns: number(&own[..8]),
                    cpu_timestamp_ns: number(&own[8..]),
                }),
            };
            assert_eq!(field.read(&payload), expected, "{} {}", layout.name, field.name);
        }
    }
}

/// What the struct reads is what the layout reads, and writing it back loses no covered byte.
macro_rules! round_trip {
    ($($name:ident { $($field:ident),+ })+) => {
        #[test]
        fn structs_and_layouts_agree() {
            let payload = numbered();
            let mut structs = BTreeSet::new();
            $(
                let value = payload::$name::read(&payload);
                let layout = payload::$name::LAYOUT;
                let names: Vec<_> = layout.fields.iter().map(|field| field.name).collect();
                assert_eq!(names, [$(stringify!($field)),+]);
                let again = Payload::from(value);
                assert_eq!(payload::$name::read(&again), value);
                let mut covered = [false; Payload::SIZE];
                for field in layout.fields {
                    covered[field.offset..field.offset + field.ty.size()].fill(true);
                    // A bool is written as 1, whatever non-zero byte it was read from.
                    assert_eq!(field.read(&again), field.read(&payload));
                }
                for (index, byte) in again.bytes().iter().enumerate() {
                    assert!(covered[index] || *byte == 0, "{} byte {index}", layout.name);
                }
                assert_eq!(Payload::from(payload::$name::default()), Payload::ZERO);
                structs.insert(layout.name);
            )+
            assert_eq!(structs.len(), LAYOUTS.len());
        }
    };
}

round_trip! {
    ModelLoadStop { model_id }
    ExecPostRequest { model_id, request_id }
    NrtExec { model_id }
    RuntimeExec { model_id }
    CcLoadStart { g_device_id, g_device_count }
    CcLoadStop { model_id }
    CcExecBarrierStart { model_id, exec_id, sync_info }
    CcExecBarrierStop { sync_info }
    NcExecStart { device_core_idx, exec_id, sync_info }
    NcExecStop { sync_info }
    CcExecStart { gid, op_id, exec_id, sync_info, algo }
    CcExecStop { sync_info }
    ExecTensorRead { tensor_id, size }
    ExecTensorWrite { tensor_id, size }
    ExecTensorAlloc { tensor_id, size }
    ExecTensorReadBatch { num_batches }
    ExecTensorWriteBatch { num_batches }
    ExecTensorFree { tensor_id, size, ref_count }
    ExecTensorBlock { tensor_id, pending_reader_count, pending_writer_count }
    NumErr { device_core_idx, exec_id, sync_info }
    EncBarrierRecv { peer_id, exec_id, nec_dev_id }
    EncBarrierSend { peer_id, exec_id, nec_dev_id }
    EncBarrier { peer_id, exec_id, nec_dev_id }
    ExecPre { exec_id, model_id }
    ExecCore { exec_id, model_id }
    ExecWait { exec_id, model_id }
    ExecPost { exec_id, model_id }
    ModelExec { exec_id, model_id }
    ModelSwitch { device_core_idx, model_id, is_neuron_core_work }
    ModelSubmit { model_id }
    AsyncSemaWait { available_request_slots, has_work }
    HwNotify { device_core_idx, hint, custom_data, exec_id, sync_info }
    TimestampSync { exec_id, nc_timestamp_ns, cpu_timestamp_ns }
    NcModelSwitchStart { device_core_idx, model_id, exec_id, sync_info }
    NcModelSwitchStop { sync_info }
    DmemBufCopyin { mem_type, mem_handle, offset, size }
    DmemBufCopyout { mem_type, mem_handle, offset, size }
    DmemBufBatchCopyin { mem_type, num_batches, total_num_ops, total_size }
    DmemBufBatchCopyout { mem_type, num_batches, total_num_ops, total_size }
    DmaMemAllocStart { hbm_idx, usage_type, is_nc_hbm, is_aligned, mla_idx }
    DmaMemAllocStop { allocated_bytes, physical_address, return_code, usage_type_total_bytes, total_bytes }
    DmaMemDeallocStart { hbm_idx, is_nc_hbm, mla_idx, usage_type, physical_address }
    DmaMemDeallocStop { freed_bytes, usage_type_total_bytes, total_bytes }
    HostccPrepare { ctx_device_id, ctx_device_count, cc_op }
    HostccSchedule { ctx_device_id, ctx_device_count }
    HostccBuildCtx { ctx_device_id, ctx_device_count }
    HostccLoad { enc_op, dtype, num_elem }
    HostccExec { stream_id }
    HostccWait { total_notif_expected }
}

#[test]
fn a_bool_is_true_for_any_byte_but_zero() {
    for byte in 0..=255 {
        let mut bytes = [0; Payload::SIZE];
        bytes[8] = byte;
        let read = payload::AsyncSemaWait::read(&Payload::from_bytes(bytes));
        assert_eq!(read.has_work, byte != 0);
    }
}

#[test]
fn generic_payload_layout() {
    let payload = Payload::from(Generic { name: 1, args: [2, 3, 4, u64::MAX] });
    let values: Vec<_> =
        Generic::LAYOUT.fields.iter().map(|field| field.read(&payload).as_u64().unwrap()).collect();
    assert_eq!(values, [1, 2, 3, 4, u64::MAX]);
    assert_eq!(Generic::read(&payload), Generic { name: 1, args: [2, 3, 4, u64::MAX] });
    assert!(Phase::ALL.into_iter().all(|phase| EventType::Generic.payload(phase).is_none()));
}

#[test]
fn phases() {
    for (number, text) in ["start", "stop", "instant", "unknown"].into_iter().enumerate() {
        let phase = Phase::from_number(number as u32).unwrap();
        assert_eq!((phase.number(), phase.text_name()), (number as u32, text));
    }
    let mut event = Event::ZERO;
    for number in [3, 4, u32::MAX] {
        event.phase_number = number;
        assert_eq!(event.phase(), Phase::Count);
    }
}

#[test]
fn debug_of_an_event_decodes_it() {
    let mut event = Event::new(EventType::TensorRead, Phase::Instant);
    event.payload = payload::ExecTensorRead { tensor_id: 7, size: 4096 }.into();
    let text = format!("{event:?}");
    for part in ["TensorRead", "Instant", "tensor_id: U64(7)", "size: U64(4096)"] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    event.event_type_number = 99;
    event.phase_number = 98;
    let text = format!("{event:?}");
    for part in ["event_type_number: 99", "phase_number: 98", "payload: Payload("] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[test]
fn event_sets_as_text() {
    use EventType::{CcExec, DeviceExec, NumErr};
    let parse = |text| EventSet::parse(text).unwrap();
    let hardware = EventSet::group(Group::Hardware);
    assert_eq!(EventSet::ALL.len(), 46);
    assert_eq!(hardware.len() + EventSet::group(Group::Software).len(), 46);
    assert_eq!(parse("hardware,software"), EventSet::ALL);
    assert_eq!(parse("All"), EventSet::ALL);
    assert_eq!(parse("none"), EventSet::EMPTY);
    assert_eq!(parse("none, cc_running"), EventSet::from_iter([CcExec]));
    assert_eq!(parse(" CC_EXEC ,nc_exec_running"), EventSet::from_iter([CcExec, DeviceExec]));
    assert_eq!(parse("^all,numerical_err"), EventSet::from_iter([NumErr]));
    // Left to right: what is taken away can come back.
    assert_eq!(parse("hardware,^cc_exec,cc_exec"), hardware);
    assert_eq!(parse("^ hardware"), EventSet::group(Group::Software));
    for event_type in EventType::ALL {
        let mut one = EventSet::EMPTY;
        one.insert(event_type);
        assert_eq!(parse(event_type.name()), one);
        assert_eq!(parse(event_type.text_name()), one);
        assert_eq!(one.iter().collect::<Vec<_>>(), [event_type]);
        one.remove(event_type);
        assert!(one.is_empty());
    }
    for (text, name) in [("", ""), ("all,", ""), ("^", ""), ("^^all", "^all"), ("all,x y", "x y")] {
        assert_eq!(EventSet::parse(text).unwrap_err().name, name, "{text:?}");
    }
    let message = EventSet::parse("bogus").unwrap_err().to_string();
    assert!(message.contains("\"bogus\""));
    for event_type in EventType::ALL {
        assert!(message.contains(event_type.name()) && message.contains(event_type.text_name()));
    }
}

#[test]
fn shard_sets_as_text() {
    let shards = |text| ShardSet::parse(text).unwrap().iter().collect::<Vec<_>>();
    assert_eq!(shards("0,2-4"), [0, 2, 3, 4]);
    assert_eq!(shards(" 255 , 63 - 65 "), [63, 64, 65, 255]);
    assert_eq!(shards("0-255").len(), 256);
    assert_eq!(ShardSet::parse("all"), Ok(ShardSet::ALL));
    assert_eq!(ShardSet::parse("none"), Ok(ShardSet::EMPTY));
    assert_eq!((ShardSet::ALL.len(), ShardSet::EMPTY.is_empty()), (256, true));
    let mut set = ShardSet::ALL;
    assert!(set.remove(7) && !set.remove(256) && !set.insert(256));
    assert!(!set.contains(7) && !set.contains(256) && set.len() == 255);
    for (text, error) in [
        ("", ShardSetError::NotANumber { item: "" }),
        ("1,,2", ShardSetError::NotANumber { item: "" }),
        ("a", ShardSetError::NotANumber { item: "a" }),
        ("-1", ShardSetError::NotANumber { item: "" }),
        ("+1", ShardSetError::NotANumber { item: "+1" }),
        ("1-2-3", ShardSetError::NotANumber { item: "2-3" }),
        ("256", ShardSetError::AboveLimit { item: "256" }),
        ("0-4294967296", ShardSetError::AboveLimit { item: "4294967296" }),
        ("4-2", ShardSetError::Reversed { range: "4-2" }),
    ] {
        assert_eq!(ShardSet::parse(text), Err(error), "{text:?}");
        assert!(error.to_string().contains(text.rsplit(',').next().unwrap()) || text.contains('-'));
    }
}

#[test]
fn counts_add_up() {
    let one = Counts { created: 10, drained: 3, displaced: 2, discarded: 1 };
    assert_eq!([one, one].into_iter().sum::<Counts>().live(), 8);
    let odd = Counts { created: 1, drained: u64::MAX, displaced: u64::MAX, discarded: 1 };
    assert_eq!((odd.live(), odd.lost(), (odd + odd).drained), (0, u64::MAX, u64::MAX));
    assert_eq!(ShardCounts::new(5).by_type.into_iter().sum::<Counts>(), Counts::ZERO);
}

/// Bytes to record to bytes, in either byte order, for every type and phase.
#[test]
fn records_as_bytes() {
    let of = |event_type: u32, phase: u32, swap: bool| {
        let mut bytes: [u8; Event::SIZE] = std::array::from_fn(|at| at as u8 + 1);
        let number = |number: u32| if swap { number.swap_bytes() } else { number }.to_ne_bytes();
        bytes[0..4].copy_from_slice(&number(event_type));
        bytes[88..92].copy_from_slice(&number(phase));
        bytes
    };
    for event_type in 0..EventType::COUNT as u32 + 1 {
        for phase in 0..4 {
            let bytes = of(event_type, phase, false);
            let event = Event::from_ne_bytes(&bytes);
            assert!(event.has_nrta_seq_id);
            let mut expected = bytes;
            // No field's bytes.
            expected[4..8].fill(0);
            expected[104..112].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0]);
            assert_eq!(event.to_ne_bytes(), expected);

            let swapped = Event::from_swapped_bytes(&of(event_type, phase, true));
            assert_eq!((swapped.event_type_number, swapped.phase_number), (event_type, phase));
            assert_eq!(swapped.tracking_id, event.tracking_id.swap_bytes());
            assert_eq!(swapped.nc_idx, event.nc_idx.swap_bytes());
            let layout = match event.event_type() {
                Some(EventType::Generic) => Some(&Generic::LAYOUT),
                other => other.and_then(|it| it.payload(event.phase())),
            };
            for field in layout.into_iter().flat_map(|layout| layout.fields) {
                let expected = match field.read(&event.payload) {
                    FieldValue::U64(value) => FieldValue::U64(value.swap_bytes()),
                    FieldValue::U32(value) => FieldValue::U32(value.swap_bytes()),
                    FieldValue::I32(value) => FieldValue::I32(value.swap_bytes()),
                    FieldValue::U16(value) => FieldValue::U16(value.swap_bytes()),
                    FieldValue::Sync(sync) => FieldValue::Sync(SyncInfo {
                        nc_timestamp_ns: sync.nc_timestamp_ns.swap_bytes(),
                        cpu_timestamp_ns: sync.cpu_timestamp_ns.swap_bytes(),
                    }),
                    value @ (FieldValue::U8(_) | FieldValue::Bool(_)) => value,
                };
                assert_eq!(field.read(&swapped.payload), expected, "{event_type} {}", field.name);
            }
        }
    }
}
