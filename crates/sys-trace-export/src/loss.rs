//! How every JSON-like format states what a shard lost.

use std::io::Write;

use sys_trace::{Counts, EventType, ShardCounts};

use crate::out::Out;

/// Whether events are missing: displaced, discarded, or refused ones.
pub(crate) fn lossy(counts: &ShardCounts) -> bool {
    counts.total.lost() > 0 || counts.refused > 0
}

/// The counts of one shard as an object; `by_type` lists the types that lost any.
pub(crate) fn shard_object<W: Write>(out: &mut Out<W>, counts: &ShardCounts) {
    out.raw("{\"nc_idx\":");
    out.uint(counts.shard.into());
    out.raw(",");
    numbers(out, &counts.total);
    out.raw(",\"refused\":");
    out.uint(counts.refused);
    if counts.total.lost() > 0 {
        out.raw(",\"by_type\":{");
        let mut comma = "";
        for event_type in EventType::ALL {
            let of_type = counts.of(event_type);
            if of_type.lost() > 0 {
                out.raw(comma);
                out.text(event_type.text_name());
                out.raw(":{");
                numbers(out, of_type);
                out.raw("}");
                comma = ",";
            }
        }
        out.raw("}");
    }
    out.raw("}");
}

fn numbers<W: Write>(out: &mut Out<W>, counts: &Counts) {
    out.raw("\"created\":");
    out.uint(counts.created);
    out.raw(",\"drained\":");
    out.uint(counts.drained);
    out.raw(",\"displaced\":");
    out.uint(counts.displaced);
    out.raw(",\"discarded\":");
    out.uint(counts.discarded);
}
