//! Replaces the `num-traits` crate: fallible conversions for the few types that cr-sqlite converts.
//! The derive in `num_derive.rs` implements `FromPrimitive`.
#![no_std]

pub trait FromPrimitive: Sized {
    fn from_i64(number: i64) -> Option<Self>;

    fn from_i32(number: i32) -> Option<Self> {
        Self::from_i64(i64::from(number))
    }

    fn from_u8(number: u8) -> Option<Self> {
        Self::from_i64(i64::from(number))
    }
}

pub trait ToPrimitive {
    fn to_usize(&self) -> Option<usize>;
}

impl ToPrimitive for i32 {
    fn to_usize(&self) -> Option<usize> {
        usize::try_from(*self).ok()
    }
}
