//! What is needed to publish and to install: the manifests, the files of a hosted repository, the action, the editor
//! package. Nothing here needs a network; what needs CMake or Meson is in `docs/build-systems.md`, which `docs` follows.
//!
//! The manifests are read line by line: they are written one key a line, and a reader of TOML would be a dependency for
//! this alone.

use crate::{fencepost, json, root, sarif_standard};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// What is between two texts, at its first occurrence.
fn between<'a>(text: &'a str, before: &str, after: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("no {before:?}")).1;
    rest.split_once(after).unwrap_or_else(|| panic!("no {after:?} after {before:?}")).0
}

/// A manifest: the keys of each table with their values.
struct Manifest(BTreeMap<String, BTreeMap<String, String>>);

impl Manifest {
    fn read(path: &str) -> Manifest {
        let mut tables: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        let mut table = String::new();
        for line in read(path).lines().filter(|line| !line.trim_start().starts_with('#')) {
            if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                table = name.to_string();
            } else if let Some((key, value)) = line.split_once(" = ") {
                tables.entry(table.clone()).or_default().insert(key.to_string(), value.to_string());
            }
        }
        Manifest(tables)
    }

    /// A key of the package, its own or inherited from the workspace.
    fn package(&self, workspace: &Manifest, key: &str) -> Option<String> {
        let package = &self.0["package"];
        if package.get(&format!("{key}.workspace")).is_some_and(|value| value == "true") {
            return workspace.0["workspace.package"].get(key).cloned();
        }
        package.get(key).cloned()
    }

    fn published(&self) -> bool {
        self.0["package"].get("publish").is_none_or(|value| value != "false")
    }

    /// The crates of this repository among the dependencies of a table, and how each is given.
    fn ours(&self, table: &str) -> Vec<(String, &str)> {
        let all = self.0.get(table).into_iter().flatten();
        let ours = all.filter(|(key, _)| key.starts_with("fencepost"));
        ours.map(|(key, value)| (key.trim_end_matches(".workspace").to_string(), value.as_str())).collect()
    }
}

/// The crates by the names of their packages.
fn crates() -> BTreeMap<String, Manifest> {
    let folders = std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().file_name());
    let manifests =
        folders.map(|name| Manifest::read(&format!("crates/{}/Cargo.toml", name.to_string_lossy())));
    let crates: BTreeMap<_, _> = manifests
        .map(|manifest| (manifest.0["package"]["name"].trim_matches('"').to_string(), manifest))
        .collect();
    assert!(crates.len() > 15);
    crates
}

fn workspace() -> Manifest {
    Manifest::read("Cargo.toml")
}

fn version() -> String {
    workspace().0["workspace.package"]["version"].trim_matches('"').to_string()
}

#[test]
fn every_crate_says_what_a_registry_shows() {
    let workspace = workspace();
    for (name, manifest) in crates() {
        let mut keys =
            vec!["version", "edition", "rust-version", "description", "license", "repository", "readme"];
        if manifest.published() {
            keys.extend(["homepage", "documentation", "keywords", "categories", "exclude"]);
        }
        for key in keys {
            let value = manifest.package(&workspace, key);
            assert!(value.is_some_and(|value| value.len() > 2), "{name} has no {key}");
        }
        let readme = manifest.package(&workspace, "readme").unwrap();
        let inherited = manifest.0["package"].contains_key("readme.workspace");
        let folder = if inherited { String::new() } else { format!("crates/{}/", folder_of(&name)) };
        read(&format!("{folder}{}", readme.trim_matches('"')));
        if manifest.published() {
            for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
                assert_eq!(read(&format!("crates/{}/{licence}", folder_of(&name))), read(licence), "{name}");
            }
        }
    }
}

/// The folder of a crate, in `crates/`.
fn folder_of(name: &str) -> &str {
    name.strip_prefix("fencepost-").unwrap_or("cli")
}

/// Whether a crate needs another, or would if tests counted.
fn needs(crates: &BTreeMap<String, Manifest>, from: &str, to: &str) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_string()]);
    while let Some(name) = open.pop() {
        if name == to {
            return true;
        }
        if seen.insert(name.clone()) {
            let tables = ["dependencies", "dev-dependencies"];
            open.extend(tables.iter().flat_map(|table| crates[&name].ours(table)).map(|(name, _)| name));
        }
    }
    false
}

/// A version is what a registry goes by; a circle of versions could not be published in any order.
#[test]
fn path_dependencies_have_versions_unless_they_go_in_a_circle() {
    let (workspace, crates) = (workspace(), crates());
    let exact = format!("version = \"={}\"", version());
    for (name, value) in workspace.ours("workspace.dependencies") {
        assert!(value.contains(&exact), "{name} has not {exact} in Cargo.toml, but {value}");
    }
    let mut circles = 0;
    for (name, manifest) in &crates {
        for (other, value) in manifest.ours("dependencies") {
            assert_eq!(value, "true", "{name} takes {other} from the workspace, with its version");
            assert!(
                crates[&other].published() || !manifest.published(),
                "{name} needs {other}, which is not published"
            );
        }
        for (other, value) in manifest.ours("dev-dependencies") {
            let circle = needs(&crates, &other, name);
            let path_only = circle || !crates[&other].published();
            let expected =
                if path_only { format!("{{ path = \"../{}\" }}", folder_of(&other)) } else { "true".into() };
            assert_eq!(value, expected, "{name} needs {other} for its tests; circle: {circle}");
            circles += usize::from(circle);
        }
    }
    assert!(circles > 5, "the rule is about something");
}

/// The last column of the table in ARCHITECTURE.md: what each crate uses.
#[test]
fn crates_use_what_the_architecture_says() {
    let text = read("ARCHITECTURE.md");
    let table = between(&text, "| crate | what it holds | may use |\n|---|---|---|\n", "\n\n");
    let mut rows = BTreeMap::new();
    for line in table.lines() {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let (name, uses) = (cells[0].trim_matches('`'), cells[cells.len() - 1]);
        let uses: BTreeSet<String> = match uses {
            "nothing" => BTreeSet::new(),
            list => list.split(", ").map(|name| name.trim_matches('`').to_string()).collect(),
        };
        rows.insert(name.to_string(), uses);
    }
    for (name, manifest) in crates() {
        let name = folder_of(&name);
        let uses: BTreeSet<String> =
            manifest.ours("dependencies").iter().map(|(used, _)| folder_of(used).to_string()).collect();
        assert_eq!(rows.remove(name), Some(uses), "{name}: the table (left) and the manifest (right) differ");
    }
    assert!(rows.is_empty(), "crates that are not there: {rows:?}");
}

/// Files with an ending below a folder, links not followed.
fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => files(&entry.path(), ending, found),
            kind if kind.is_file() && entry.path().extension().is_some_and(|e| e == ending) => {
                found.push(entry.path())
            }
            _ => {}
        }
    }
}

#[test]
fn no_crate_includes_a_file_from_outside() {
    let crates = root().join("crates").canonicalize().unwrap();
    let mut sources = Vec::new();
    files(&crates, "rs", &mut sources);
    let mut included = 0;
    for source in sources.iter().filter(|source| !source.components().any(|part| part.as_os_str() == "tests"))
    {
        let text = std::fs::read_to_string(source).unwrap();
        let inside = source.strip_prefix(&crates).unwrap();
        // Folders between the file and its package.
        let depth = inside.components().count() - 2;
        for call in text.split("include_str!(").skip(1).chain(text.split("include_bytes!(").skip(1)) {
            let path = call.split('"').nth(1).unwrap_or("");
            let ups = path.split('/').filter(|part| *part == "..").count();
            assert!(ups <= depth, "{} includes {path}", inside.display());
            included += 1;
        }
    }
    assert!(included > 20, "{included} files are included");
}

#[test]
fn the_version_is_the_same_everywhere() {
    let version = version();
    let package = json(&read("editors/vscode/package.json"));
    let lock = json(&read("editors/vscode/package-lock.json"));
    assert_eq!(package["version"], version.as_str());
    assert_eq!(lock["version"], version.as_str());
    assert_eq!(lock["packages"][""]["version"], version.as_str());
    for (file, wanted) in [
        ("action.yml", format!("\n    default: {version}\n")),
        ("CITATION.cff", format!("\nversion: {version}\n")),
        ("docs/ci.md", format!("fencepost-verifier/fencepost@v{version}\n")),
        ("docs/editor.md", format!("fencepost-{version}.vsix")),
        ("editors/vscode/README.md", format!("fencepost-{version}.vsix")),
        ("Cargo.lock", format!("name = \"fencepost\"\nversion = \"{version}\"\n")),
    ] {
        assert!(read(file).contains(&wanted), "{file} has not {wanted:?}");
    }
}

#[test]
fn the_readme_begins_with_two_commands() {
    let readme = read("README.md");
    let before =
        "# Fencepost\n\n```text\ncargo run --release -- check examples/peterson.c\ncargo test\n```\n";
    assert!(readme.starts_with(before), "{}", &readme[..200]);
    for command in ["cargo install fencepost --locked", "cargo install --path crates/cli --locked"] {
        assert!(readme.contains(command));
    }
    // What `.ci/run` takes for the first command.
    let found = Command::new("sed").args(["-n", "/^```/{n;p;q;}", "README.md"]).current_dir(root()).output();
    let found = String::from_utf8(found.expect("there is sed").stdout).unwrap();
    assert_eq!(found, "cargo run --release -- check examples/peterson.c\n");
    assert!(read(".ci/run").contains("sed -n '/^```/{n;p;q;}' README.md"));
}

#[test]
fn the_changelog_says_what_is_new_and_releases_quote_it() {
    let log = read("CHANGELOG.md");
    assert!(log.starts_with("# Changelog\n\n## Unreleased\n"));
    for new in ["cargo install fencepost", "action.yml", "CMake", "VS Code"] {
        assert!(log.contains(new), "CHANGELOG.md does not speak of {new}");
    }
    let notes = |version: &str| script(&root(), "release-notes", &[version], &[]);
    for section in log.split("\n## ").skip(1) {
        let (title, text) = section.split_once('\n').unwrap();
        let (code, said) = notes(title.split(' ').next().unwrap());
        match text.trim() {
            "" => assert_ne!(code, 0, "{title}"),
            text => assert_eq!((code, said.trim()), (0, text), "{title}"),
        }
    }
    assert_ne!(notes("99.0.0").0, 0);
}

/// The papers that the engines are made from are cited by the titles that `docs/papers.md` has.
#[test]
fn the_citation_names_the_papers() {
    let (citation, papers) = (read("CITATION.cff"), read("docs/papers.md"));
    let titles: Vec<&str> = citation.lines().filter_map(|line| line.strip_prefix("    title: ")).collect();
    assert_eq!(titles.len(), 4);
    for title in titles {
        assert!(papers.contains(title), "docs/papers.md does not have {title}");
    }
}

/// Every example is in a row of `examples/README.md`, under the models that it is unsafe under.
#[test]
fn every_example_is_explained() {
    let text = read("examples/README.md");
    let mut rows: BTreeMap<String, (bool, String)> = BTreeMap::new();
    for row in text.lines().filter(|line| line.starts_with("| [")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [names, shows, models] = cells[..] else { panic!("three cells: {row}") };
        assert!(shows.len() > 5, "{row}");
        for (i, part) in names.split("](").skip(1).enumerate() {
            let file = part.split(')').next().unwrap();
            assert!(
                rows.insert(file.to_string(), (i == 0, models.to_string())).is_none(),
                "{file} has two rows"
            );
        }
    }
    let mut present = Vec::new();
    let folder = root().join("examples");
    files(&folder, "c", &mut present);
    files(&folder, "fp", &mut present);
    let names = present.iter().map(|path| path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned());
    assert_eq!(rows.keys().cloned().collect::<BTreeSet<_>>(), names.collect());

    let mut unsafe_under: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let manifest = read("examples/verdicts.txt");
    for line in manifest.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let models =
            ["SC", "TSO", "PSO"].into_iter().zip(&words[1..]).filter(|(_, verdict)| **verdict == "unsafe");
        unsafe_under.entry(words[0].to_string()).or_default().extend(models.map(|(model, _)| model));
    }
    for (file, found) in unsafe_under {
        let (first, said) = &rows[&file];
        let said = if *first && said != "none" { said.split(", ").collect() } else { BTreeSet::new() };
        assert_eq!(said, found, "{file}");
    }
}

/// The options of a command that its help lists.
fn options_of(command: &str) -> BTreeSet<String> {
    let help = fencepost(&format!("{command} --help")).stdout;
    let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.starts_with("--") && word.len() > 2).map(str::to_string).collect()
}

#[test]
fn options_in_the_action_and_the_snippets_exist() {
    let known = options_of("check");
    assert!(known.contains("--allow-unknown") && known.len() > 30);
    let action = read("action.yml");
    let script = read(".ci/check-changed");
    let cmake = read("cmake/Fencepost.cmake");
    let page = read("docs/build-systems.md");
    let input = between(&action, "  options:\n", "  sarif-file:");
    let checks =
        script.lines().filter(|line| line.trim_start().starts_with("fencepost check")).collect::<Vec<_>>();
    let command = between(&cmake, "set(command check", "list(APPEND command ${arg_OPTIONS}");
    let meson = between(&page, "```meson meson.build", "```").replace('\'', " ");
    let make = between(&page, "```make Makefile", "```");
    let mut seen = 0;
    for text in
        [input, &checks.join("\n"), command, &meson, make, between(&action, "description: Options", "\n")]
    {
        for option in
            text.split([' ', ',', '\n', '(', ')']).filter(|word| word.starts_with("--") && word.len() > 2)
        {
            assert!(known.contains(option), "`fencepost check` has no {option}");
            seen += 1;
        }
    }
    assert!(seen >= 12, "{seen} options were looked at");
    // The page documents every input with its default.
    let inputs = between(&action, "\ninputs:\n", "\noutputs:");
    for name in inputs
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.strip_suffix(':'))
        .filter(|n| !n.starts_with(' '))
    {
        assert!(read("docs/ci.md").contains(&format!("| `{name}` |")), "docs/ci.md does not explain {name}");
    }
}

/// A repository with a commit, in which two of three programs change.
fn repository(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packaging").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("verify/deep")).unwrap();
    let put = |from: &str, to: &str| {
        std::fs::copy(root().join("examples").join(from), folder.join(to)).unwrap();
    };
    put("dekker.c", "verify/untouched.c");
    put("peterson_fenced.c", "verify/deep/with blank.c");
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=me", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"];
        let mut command = Command::new("git");
        let status = command.args(who).args(args).current_dir(&folder).status().expect("there is git");
        assert!(status.success(), "git {args:?}");
    };
    git(&["init", "-q", "."]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    put("peterson.c", "verify/deep/with blank.c");
    put("dekker_fenced.c", "verify/new.c");
    put("dekker.c", "elsewhere.c");
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "second"]);
    folder
}

fn script(folder: &Path, name: &str, arguments: &[&str], variables: &[(&str, &str)]) -> (i32, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_fencepost")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command.arg(root().canonicalize().unwrap().join(".ci").join(name)).args(arguments);
    command.current_dir(folder).env("PATH", path).envs(variables.iter().copied());
    let output = command.output().expect("there is bash");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

/// What the action runs, on changed programs and on all.
#[test]
fn the_action_checks_changed_programs() {
    let folder = repository("changed");
    let base = Command::new("git").args(["rev-parse", "HEAD~1"]).current_dir(&folder).output().unwrap();
    let base = String::from_utf8(base.stdout).unwrap().trim().to_string();
    let check = |files: &str, base: &str| {
        let _ = std::fs::remove_file(folder.join("fencepost.sarif"));
        let variables = [
            ("FILES", files),
            ("BASE", base),
            ("OPTIONS", "--model tso --timeout 60"),
            ("SARIF", "fencepost.sarif"),
        ];
        let (code, said) = script(&folder, "check-changed", &[], &variables);
        let log = std::fs::read_to_string(folder.join("fencepost.sarif")).ok();
        let found: Option<Vec<String>> = log.map(|log| {
            let log = json(&log);
            let results = sarif_standard::check(&log)["results"].as_array().unwrap().clone();
            let uri = |result: &serde_json::Value| {
                let place = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
                place.as_str().unwrap().to_string()
            };
            results.iter().map(uri).collect()
        });
        (code, found, said)
    };
    let changed = "verify/deep/with%20blank.c".to_string();
    let (code, found, said) = check("verify/**/*.c\n\n  \n", &base);
    assert_eq!((code, found), (1, Some(vec![changed.clone()])), "{said}");
    assert!(
        said.contains("unsafe: verify/deep/with blank.c under TSO") && said.contains("What happens"),
        "{said}"
    );
    // Without a commit to compare with, all: the base of a new branch is all zeros, and one may be gone.
    for base in ["", &"0".repeat(40), &"1".repeat(40)] {
        let (code, found, said) = check("verify/**/*.c", base);
        assert_eq!(
            (code, found),
            (1, Some(vec![changed.clone(), "verify/untouched.c".to_string()])),
            "{said}"
        );
    }
    assert_eq!(check("verify/new.c", &base).0, 0);
    let (code, found, said) = check("verify/*.fp", &base);
    assert_eq!((code, found, said.as_str()), (0, None, "no program has changed\n"));
    assert_eq!(check("", &base).0, 2);
}

/// The installer, with a release made of a folder.
#[test]
fn the_installer_takes_a_release_that_is_whole() {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        println!("not tried: the release of this test is for Linux on x86-64");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packaging/install");
    let _ = std::fs::remove_dir_all(&folder);
    let name = format!("fencepost-{}-x86_64-unknown-linux-musl", version());
    let release = folder.join(format!("v{}", version()));
    std::fs::create_dir_all(release.join(&name)).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_fencepost"), release.join(&name).join("fencepost")).unwrap();
    let pack = format!("tar -czf {name}.tar.gz {name} && sha256sum {name}.tar.gz > {name}.tar.gz.sha256");
    assert!(Command::new("sh").args(["-c", &pack]).current_dir(&release).status().unwrap().success());
    let releases = format!("file://{}", folder.canonicalize().unwrap().display());
    let install = || script(&folder, "install", &[&version(), "bin"], &[("FENCEPOST_RELEASES", &releases)]);
    let (code, said) = install();
    assert_eq!((code, said), (0, format!("fencepost {}\n", version())));
    // A file that is not the one that was summed.
    std::fs::write(
        release.join(format!("{name}.tar.gz.sha256")),
        format!("{}  {name}.tar.gz\n", "0".repeat(64)),
    )
    .unwrap();
    std::fs::remove_dir_all(folder.join("bin")).unwrap();
    assert_ne!(install().0, 0);
    assert!(!folder.join("bin").exists());
}

/// Settings and words: the editor package knows what the server and the language know.
#[test]
fn the_editor_package_fits() {
    let package = json(&read("editors/vscode/package.json"));
    let properties = package["contributes"]["configuration"]["properties"].as_object().unwrap();
    let offered: BTreeSet<&str> =
        properties.keys().map(|key| key.strip_prefix("fencepost.").unwrap()).collect();
    let page = read("docs/editor.md");
    let table = between(&page, "| setting | meaning | default |", "\n\n");
    let documented: BTreeSet<&str> =
        table.lines().filter_map(|row| row.strip_prefix("| `")?.split('`').next()).collect();
    let own = BTreeSet::from(["path", "trace.server"]);
    assert_eq!(offered.difference(&own).copied().collect::<BTreeSet<_>>(), documented);
    let script = read("editors/vscode/extension.js");
    let handed_on = between(&script, "SERVER_SETTINGS = [", "]");
    let handed_on: BTreeSet<&str> = handed_on.split(", ").map(|word| word.trim_matches('"')).collect();
    assert_eq!(handed_on, documented);

    let grammar = read("editors/vscode/syntaxes/fencepost.tmLanguage.json");
    json(&grammar);
    let coloured: BTreeSet<&str> =
        grammar.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
    let language = read("docs/language.md");
    let reserved = between(&language, "These words are not names: ", "\n\n");
    let words = reserved.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
    let missing: Vec<&str> = words.clone().filter(|word| !coloured.contains(word)).collect();
    assert!(missing.is_empty() && words.count() > 50, "the grammar does not know {missing:?}");
    for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
        assert_eq!(read(&format!("editors/vscode/{file}")), read(file));
    }
}
