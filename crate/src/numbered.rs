//! The few things that are open at once, by their numbers: a list, since each map of its own would weigh 4 kB.

pub struct Numbered<T>(Vec<(u32, T)>);

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered(Vec::new())
    }
}

impl<T> Numbered<T> {
    fn place(&self, number: u32) -> Option<usize> {
        self.0.iter().position(|(other, _)| *other == number)
    }

    pub fn get(&self, number: u32) -> Option<&T> {
        self.place(number).map(|at| &self.0[at].1)
    }

    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let at = self.place(number)?;
        Some(&mut self.0[at].1)
    }

    /// Adds one, in place of that which had its number.
    pub fn insert(&mut self, number: u32, one: T) {
        self.remove(number);
        self.0.push((number, one));
    }

    pub fn remove(&mut self, number: u32) -> Option<T> {
        let at = self.place(number)?;
        Some(self.0.swap_remove(at).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_found_by_their_numbers_until_they_are_removed() {
        let mut numbered = Numbered::default();
        for number in [3, 1, 7] {
            numbered.insert(number, number * 10);
        }
        numbered.insert(1, 11);
        assert_eq!(numbered.remove(3), Some(30));
        assert_eq!((numbered.remove(3), numbered.get(3)), (None, None));
        assert_eq!(numbered.get(1), Some(&11));
        assert_eq!(numbered.get_mut(7), Some(&mut 70));
    }
}
