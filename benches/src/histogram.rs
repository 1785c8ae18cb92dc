//! Latencies in buckets that are at most 1/16 wide: percentiles in constant memory.

/// Counts of durations.
#[derive(Clone)]
pub struct Histogram {
    buckets: Vec<u64>,
    count: u64,
    max: u64,
}

/// Sub-buckets per power of two.
const FINE: u64 = 16;

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: vec![0; 64 * FINE as usize], count: 0, max: 0 }
    }
}

impl Histogram {
    fn bucket(ns: u64) -> usize {
        if ns < FINE {
            return ns as usize;
        }
        let shift = ns.ilog2() - FINE.ilog2();
        (u64::from(shift + 1) * FINE + (ns >> shift) - FINE) as usize
    }

    /// The smallest value of a bucket.
    fn floor(bucket: usize) -> u64 {
        let bucket = bucket as u64;
        if bucket < FINE { bucket } else { (bucket % FINE + FINE) << (bucket / FINE - 1) }
    }

    /// Counts one duration.
    pub fn add(&mut self, ns: u64) {
        self.buckets[Self::bucket(ns)] += 1;
        self.count += 1;
        self.max = self.max.max(ns);
    }

    /// Adds what another one counted.
    pub fn merge(&mut self, other: &Histogram) {
        for (mine, theirs) in self.buckets.iter_mut().zip(&other.buckets) {
            *mine += theirs;
        }
        self.count += other.count;
        self.max = self.max.max(other.max);
    }

    /// How many were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The duration that the share `part` of all does not exceed, up to 1/16 too small; 0 if
    /// nothing was counted.
    #[must_use]
    pub fn percentile(&self, part: f64) -> u64 {
        let rank = (part * self.count as f64).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank && seen > 0 {
                return Self::floor(bucket);
            }
        }
        0
    }

    /// The longest.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_ordered_and_fine() {
        for ns in (0..5000).chain([1 << 20, (1 << 40) + 12345, u64::MAX]) {
            let floor = Histogram::floor(Histogram::bucket(ns));
            assert!(floor <= ns && ns - floor <= ns / FINE, "{ns} {floor}");
        }
    }

    #[test]
    fn percentiles() {
        let mut all = Histogram::default();
        (1..=1000).for_each(|ns| all.add(ns));
        assert_eq!(all.count(), 1000);
        assert!((480..=500).contains(&all.percentile(0.5)));
        assert!((940..=990).contains(&all.percentile(0.99)));
        assert_eq!(all.max(), 1000);
    }
}
