//! Fences in texts: at every place a fence is nothing but a fence, for all examples and odd texts; the text for
//! people differs in added lines only where it can.

use fencepost_c as c;
use fencepost_ir::tree::{FenceKind, Program, Stmt, StmtKind};
use fencepost_models::{fp, memorax, trencher};
use fencepost_text::fences::{Edit, FenceSyntax, Site, Standing, insert, layout};
use std::path::Path;

#[derive(Clone, Copy, PartialEq)]
enum Language {
    Fp,
    C,
    Memorax,
    Trencher,
    Litmus,
}

impl Language {
    fn syntax(self) -> Box<dyn FenceSyntax> {
        match self {
            Language::Fp => Box::new(fp::Fences),
            Language::C => Box::new(c::Fences::new(c::Options::default())),
            Language::Memorax => Box::new(memorax::Fences),
            Language::Trencher => Box::new(trencher::Fences),
            Language::Litmus => Box::new(fencepost_litmus::Fences),
        }
    }
}

fn read(language: Language, name: &str, text: &str) -> Option<Program> {
    match language {
        Language::Fp => fp::read(name, text).ok(),
        Language::C => c::read(&[(name, text)], &c::Options::default()).ok(),
        Language::Memorax => memorax::read(name, text).ok(),
        Language::Trencher => trencher::read(name, text).ok(),
        Language::Litmus => fencepost_litmus::read(name, text).ok(),
    }
}

fn all_sites(language: Language, name: &str, text: &str) -> Vec<Site> {
    language.syntax().sites(name, text)
}

/// A text with its edits, from the last to the first, as editors do it.
fn applied(text: &str, edits: &[Edit]) -> String {
    let mut text = text.to_string();
    edits.iter().rev().for_each(|edit| text.replace_range(edit.from..edit.to, &edit.text));
    text
}

/// The program without fences that are not kept, as text. How its loops and switches were written is left out: a fence
/// before the first `case` has no place in a `switch` that is printed as one.
fn without_fences(mut program: Program, keep: impl Fn(&Stmt) -> bool) -> String {
    for procedure in &mut program.procedures {
        procedure.body.retain(&|s: &Stmt| !matches!(s.kind, StmtKind::Fence(_)) || keep(s));
        procedure.body.visit_blocks_mut(&mut |block| {
            let opened = std::mem::take(&mut block.0).into_iter().flat_map(|stmt| match stmt.kind {
                StmtKind::Block(_, inner) => inner.0,
                _ => vec![stmt],
            });
            block.0 = opened.collect();
        });
    }
    program.to_string()
}

/// Fences at all sites: each is read at its site, and without them the program is the old one.
fn check_everywhere(language: Language, name: &str, text: &str) -> usize {
    let old = read(language, name, text).unwrap_or_else(|| panic!("{name} can be read"));
    let sites = all_sites(language, name, text);
    for kind in language.syntax().kinds() {
        let fences: Vec<_> = sites.iter().map(|s| (s, *kind)).collect();
        let edited = insert(&*language.syntax(), text, &fences);
        let new = read(language, name, &edited.text)
            .unwrap_or_else(|| panic!("{name} with fences can be read:\n{}", edited.text));
        let site_at = edited.site_at();
        let mut seen = vec![0; sites.len()];
        let original = edited.original();
        for procedure in &new.procedures {
            procedure.body.visit(&mut |stmt| {
                if let (StmtKind::Fence(_), Some(i)) = (&stmt.kind, site_at(stmt.span)) {
                    seen[i] += 1;
                }
                assert!(original(stmt.span).line as usize <= text.lines().count() + 1);
            });
        }
        if language != Language::Trencher {
            let new = without_fences(new, |s| site_at(s.span).is_none());
            assert_eq!(new, without_fences(old.clone(), |_| true), "{name}");
        }
        // In C only what is called is read.
        if language != Language::C {
            assert!(seen.iter().all(|n| *n > 0), "{name}: {seen:?}\n{}", edited.text);
        }
        // The text for people means the same.
        let laid = layout(&*language.syntax(), text, &fences);
        assert_eq!(applied(text, &laid.edits), laid.text, "{name}: the edits make the text");
        assert!(laid.edits.windows(2).all(|e| e[0].to < e[1].from), "{name}: edits do not touch");
        let mut new = read(language, name, &laid.text)
            .unwrap_or_else(|| panic!("{name} with fences for people can be read:\n{}", laid.text));
        let edited = read(language, name, &edited.text).unwrap();
        if language != Language::C {
            assert_eq!(new.to_string(), edited.to_string(), "{name}");
        }
        new.procedures.clear();
    }
    sites.len()
}

#[test]
fn fences_everywhere_in_the_examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut places = 0;
    for path in files {
        let language = match path.extension().and_then(|e| e.to_str()) {
            Some("fp") => Language::Fp,
            Some("c") => Language::C,
            _ => continue,
        };
        let text = std::fs::read_to_string(&path).unwrap();
        places += check_everywhere(language, path.to_str().unwrap(), &text);
    }
    assert!(places > 1500, "{places}");
}

const MEMORAX: &str = "forbidden\n  CS CS\ndata\n  x = 0 : [0:1]\nprocess(2)\nregisters\n  $r = 0 : [0:1]\ntext\n  \
    L0: write: x := 1;\n  either { read: $r := x; nop or nop; L1: nop };\n  if $r = 0 then nop else { nop; goto L0 };\n  \
    while $r = 1 do read: $r := x;\n  CS: nop";

const TRENCHER: &str = "# a comment\nthread a\ninitial q0\nfinal q1\ntransition q0 q1 write 1 0 # behind\n\
    transition q1 q0 read r 0\nend";

const LITMUS: &str = "X86_64 SB\n{ x=0; y=0; }\n P0           | P1           ;\n movq $1,(x)  | movq $1,(y)  ;\n \
    movq (y),%rax | movq (x),%rax ;\nexists (0:rax=0 /\\ 1:rax=0)\n";

const ODD_FP: &str = "shared int x;\nthread a {\n  int r;\n  if (x == 1) x = 2; else if (x == 2) while (x == 2) ; else r = 1;\n  \
    do x = 1; while (x == 0);\n  L: M: skip; { x = 3; { } }\n  choose { } or { x = 1; }\n  atomic nodrain { x = 1; }\n}\n\
    final not exists (x == 9);\n";

const ODD_C: &str = "#include <pthread.h>\n#define BOTH(a, b) do { a; b; } while (0)\n#define SPIN(c) while (c) ;\nint x, y;\n\
    static void f(void)\r\n{\n\tif (x) x = 1; else if (y) for (;;) { if (x) break; else continue; }\n\tSPIN(x == 7)\n\
    \twhile (x == 5)\n\t\t;\n\tswitch (x) { case 1: case 2: x = 1; break; default: ; }\n\tBOTH(x = 1, y = 2);\n\
    again: x = 2; int z = x; if (z == 77) goto again;\n\tx = ({ y = 1; y; });\n\tconst char *s = \"a; // {\"; /* ; */ y = s != 0;\n}\n\
    int main(void) { f(); return 0; }\n";

#[test]
fn fences_everywhere_in_odd_texts() {
    assert!(check_everywhere(Language::Memorax, "odd.rmm", MEMORAX) >= 15);
    assert_eq!(check_everywhere(Language::Trencher, "odd.txt", TRENCHER), 4);
    assert_eq!(check_everywhere(Language::Litmus, "sb.litmus", LITMUS), 4);
    assert!(check_everywhere(Language::Fp, "odd.fp", ODD_FP) >= 20);
    assert!(check_everywhere(Language::C, "odd.c", ODD_C) >= 20);
}

/// Each site alone, too: braces must be right without the others.
#[test]
fn one_fence_at_a_time() {
    for (language, name, text) in [
        (Language::Memorax, "odd.rmm", MEMORAX),
        (Language::Fp, "odd.fp", ODD_FP),
        (Language::C, "odd.c", ODD_C),
    ] {
        let unfenced = |program: Program| without_fences(program, |_| false);
        let old = unfenced(read(language, name, text).unwrap());
        for site in all_sites(language, name, text) {
            for text in [
                insert(&*language.syntax(), text, &[(&site, FenceKind::Full)]).text,
                layout(&*language.syntax(), text, &[(&site, FenceKind::Full)]).text,
            ] {
                let new = read(language, name, &text).unwrap_or_else(|| panic!("{site:?}:\n{text}"));
                let is_full = |shown: &str| shown.contains("fence;") || shown.contains("fence seq_cst;");
                assert!(is_full(&new.to_string()), "{site:?}:\n{text}");
                let new = unfenced(new);
                // A header brings its types.
                let code = |text: &str| text[text.find("\nshared ").unwrap_or(0)..].to_string();
                assert_eq!(code(&new), code(&old), "{site:?}:\n{text}");
            }
        }
    }
}

#[test]
fn lines_for_people() {
    let text = "shared int x, y;\nthread a {\n    x = 1; // first\n\n    // then\n    int r = y;\n}\n";
    let sites = all_sites(Language::Fp, "a.fp", text);
    let laid: Vec<_> = sites
        .iter()
        .map(|s| {
            let laid = layout(&fp::Fences, text, &[(s, FenceKind::Full)]);
            (laid.text, laid.places[0])
        })
        .collect();
    let line = |n: usize, fence: &str| {
        let mut lines: Vec<_> = text.lines().collect();
        lines.insert(n, fence);
        lines.join("\n") + "\n"
    };
    assert_eq!(
        laid,
        [
            (line(2, "    fence;"), Standing::After(2)),
            (line(3, "    fence;"), Standing::After(3)),
            (line(6, "    fence;"), Standing::After(6)),
        ]
    );
}

#[test]
fn directives_are_not_crossed_and_headers_are_included() {
    let text = "#include <pthread.h>\nint x, y;\nint main(void)\n{\n    x = 1;\n#ifdef NEVER\n    x = 2;\n#endif\n    y = x;\n    return 0;\n}\n";
    let sites = all_sites(Language::C, "a.c", text);
    let at = text.find("y = x").unwrap();
    let site = sites.iter().find(|s| s.at == at).unwrap();
    let laid = layout(&*Language::C.syntax(), text, &[(site, FenceKind::Full)]);
    let expected = text
        .replace("<pthread.h>\n", "<pthread.h>\n#include <stdatomic.h>\n")
        .replace("    y = x", "    atomic_thread_fence(memory_order_seq_cst);\n    y = x");
    assert_eq!(laid.text, expected);
}
