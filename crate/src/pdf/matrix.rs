//! Where things are drawn.

use hayro_syntax::object::Number;

/// `[a b c d e f]`, as PDF writes it: rows of two, the last one moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix(pub [f32; 6]);

pub type Point = (f32, f32);

impl Matrix {
    pub const IDENTITY: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub fn of(numbers: [Number; 6]) -> Matrix {
        Matrix(numbers.map(|number| number.as_f32()))
    }

    pub fn moved(x: f32, y: f32) -> Matrix {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// This one first, then the other.
    pub fn then(self, other: Matrix) -> Matrix {
        let ([a, b, c, d, e, f], [g, h, i, j, k, l]) = (self.0, other.0);
        Matrix([
            a * g + b * i,
            a * h + b * j,
            c * g + d * i,
            c * h + d * j,
            e * g + f * i + k,
            e * h + f * j + l,
        ])
    }

    pub fn point(self, x: f32, y: f32) -> Point {
        let [a, b, c, d, e, f] = self.0;
        (x * a + y * c + e, x * b + y * d + f)
    }
}
