#[derive(Debug, Clone, Copy)]
pub struct Point {
    pub x: f32,
    pub y: f32,
}

#[derive(Debug)]
pub struct Polygon {
    pub points: Vec<Point>,
}

impl Polygon {
    pub fn area(&self) -> f32 {
        let n = self.points.len();
        let mut sum = 0.0;
        for i in 0..n {
            let (a, b) = (&self.points[i], &self.points[(i + 1) % n]);
            sum += a.x * b.y - b.x * a.y;
        }
        sum.abs() / 2.0
    }
}
