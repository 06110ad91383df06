use number_prefix::{NumberPrefix, Prefix};

fn main() {
    for (text, prefix) in [
        ("3g", Prefix::Giga),
        ("3 gB", Prefix::Giga),
        ("3tb", Prefix::Tera),
        ("3G", Prefix::Giga),
        ("3 T", Prefix::Tera),
        ("3k", Prefix::Kilo),
        ("3Gi", Prefix::Gibi),
    ] {
        assert_eq!(text.parse(), Ok(NumberPrefix::Prefixed(prefix, 3_f64)), "{}", text);
    }
    assert!("3x".parse::<NumberPrefix<f64>>().is_err());
    assert_eq!("3".parse(), Ok(NumberPrefix::Standalone(3_f64)));
}
