//! Replaces the `bytes` crate: reads and writes big-endian numbers for packed primary keys. Devices
//! exchange the packed form, so it must equal, byte for byte, that of `bytes` 1.5, which upstream's
//! own builds use.
#![no_std]

extern crate alloc;

use alloc::vec::Vec;

pub trait Buf {
    fn remaining(&self) -> usize;
    fn next_bytes(&mut self, count: usize) -> &[u8];

    fn has_remaining(&self) -> bool {
        self.remaining() > 0
    }

    fn get_u8(&mut self) -> u8 {
        self.next_bytes(1)[0]
    }

    /// Missing high bytes are zero. `bytes` 1.7.2 and later sign-extend instead, which would turn a
    /// key of 200, packed into one byte, into -56.
    fn get_int(&mut self, width: usize) -> i64 {
        let mut number = [0u8; 8];
        number[8 - width..].copy_from_slice(self.next_bytes(width));
        i64::from_be_bytes(number)
    }

    fn get_f64(&mut self) -> f64 {
        let mut number = [0u8; 8];
        number.copy_from_slice(self.next_bytes(8));
        f64::from_be_bytes(number)
    }

    fn copy_to_bytes(&mut self, count: usize) -> Vec<u8> {
        self.next_bytes(count).to_vec()
    }
}

impl Buf for &[u8] {
    fn remaining(&self) -> usize {
        self.len()
    }

    fn next_bytes(&mut self, count: usize) -> &[u8] {
        let (taken, rest) = self.split_at(count);
        *self = rest;
        taken
    }
}

pub trait BufMut {
    fn put_slice(&mut self, bytes: &[u8]);

    fn put_u8(&mut self, number: u8) {
        self.put_slice(&[number]);
    }

    fn put_int(&mut self, number: i64, width: usize) {
        self.put_slice(&number.to_be_bytes()[8 - width..]);
    }

    fn put_f64(&mut self, number: f64) {
        self.put_slice(&number.to_be_bytes());
    }
}

impl BufMut for Vec<u8> {
    fn put_slice(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}
