pub fn longest_run(values: &[i32]) -> usize {
    let mut best = 0;
    let mut current = 0;
    for pair in values.windows(2) {
        if pair[1] > pair[0] {
            current += 1;
            best = best.max(current);
        } else {
            current = 0;
        }
    }
    best + 1
}
