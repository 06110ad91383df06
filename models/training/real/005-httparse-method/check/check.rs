use httparse::Error;

fn main() {
    assert_eq!(Error::Method.to_string(), "invalid method");
    assert_eq!(Error::Version.to_string(), "invalid HTTP version");
    assert_eq!(Error::Method as u8, Error::Version as u8 + 1);
}
