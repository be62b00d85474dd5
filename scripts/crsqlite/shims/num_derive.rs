//! Replaces the `num-derive` crate: `#[derive(FromPrimitive)]` for enums without data, the only kind
//! that cr-sqlite derives it for. Parses the tokens directly, because the usual parser crates (`syn`,
//! `quote`) would have to be built first.

extern crate proc_macro;

use proc_macro::{Delimiter, TokenStream, TokenTree};

#[proc_macro_derive(FromPrimitive)]
pub fn derive_from_primitive(input: TokenStream) -> TokenStream {
    let (name, body) = enum_of(input);
    let tests: String = variants_of(body)
        .iter()
        .map(|variant| {
            format!("if number == {name}::{variant} as i64 {{ return Some({name}::{variant}); }}\n")
        })
        .collect();

    // The crates that use this are `no_std`, so every path is spelled out from the root.
    format!(
        "impl ::num_traits::FromPrimitive for {name} {{
            #[inline]
            fn from_i64(number: i64) -> ::core::option::Option<Self> {{
                use ::core::option::Option::{{None, Some}};
                {tests}
                None
            }}
        }}"
    )
    .parse()
    .expect("the generated impl is valid Rust")
}

/// The name of the enum, and the tokens between its braces.
fn enum_of(input: TokenStream) -> (String, TokenStream) {
    let mut tokens = input
        .into_iter()
        .skip_while(|token| !matches!(token, TokenTree::Ident(word) if word.to_string() == "enum"))
        .skip(1);
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(name)), Some(TokenTree::Group(body)))
            if body.delimiter() == Delimiter::Brace =>
        {
            (name.to_string(), body.stream())
        }
        _ => panic!("derive(FromPrimitive): only a plain enum is supported"),
    }
}

/// A variant's name is the first identifier at the start or after a comma; its number follows, up to
/// the next comma. Attributes are punctuation and groups, which are skipped.
fn variants_of(body: TokenStream) -> Vec<String> {
    let mut variants = Vec::new();
    let mut at_start = true;
    for token in body {
        match token {
            TokenTree::Ident(word) if at_start => {
                variants.push(word.to_string());
                at_start = false;
            }
            TokenTree::Punct(mark) if mark.as_char() == ',' => at_start = true,
            TokenTree::Group(group) if group.delimiter() != Delimiter::Bracket => {
                panic!("derive(FromPrimitive): a variant with fields has no number")
            }
            _ => {}
        }
    }
    variants
}
