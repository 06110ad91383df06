use semver::VersionReq;

fn main() {
    let many = vec![">1"; 40].join(", ");
    let error = VersionReq::parse(&many).unwrap_err();
    assert_eq!(error.to_string(), "too many version comparators");
    assert!(VersionReq::parse(&vec![">1"; 30].join(", ")).is_ok());
}
