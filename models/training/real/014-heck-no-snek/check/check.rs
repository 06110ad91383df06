use heck::{AsPascalCase, AsShoutySnakeCase, AsSnakeCase, ToShoutySnakeCase, ToSnakeCase};

fn main() {
    assert_eq!("aB c".to_snake_case(), "a_b_c");
    assert_eq!("aB c".to_shouty_snake_case(), "A_B_C");
    assert_eq!(AsSnakeCase("aB").to_string(), "a_b");
    assert_eq!(AsShoutySnakeCase("aB").to_string(), "A_B");
    assert_eq!(AsPascalCase("aB").to_string(), "AB");
}
