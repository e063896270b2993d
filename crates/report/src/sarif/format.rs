//! The objects of SARIF 2.1.0 that Fencepost writes. The order of fields is the order of keys.

use crate::results::{Ordered, ScopeResult, Seconds};
use serde::Serialize;

/// A text.
#[derive(Clone, PartialEq, Serialize)]
pub(super) struct Text {
    text: String,
}

impl Text {
    pub(super) fn new(text: impl Into<String>) -> Text {
        Text { text: text.into() }
    }
}

/// A log.
#[derive(Serialize)]
pub(super) struct SarifLog {
    #[serde(rename = "$schema")]
    pub(super) schema: &'static str,
    pub(super) version: &'static str,
    pub(super) runs: [SarifRun; 1],
}

/// One run of Fencepost.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifRun {
    pub(super) tool: Tool,
    pub(super) language: &'static str,
    pub(super) column_kind: &'static str,
    pub(super) original_uri_base_ids: Ordered<&'static str, BaseLocation>,
    pub(super) invocations: [Invocation; 1],
    pub(super) artifacts: Vec<Artifact>,
    pub(super) results: Vec<SarifResult>,
}

#[derive(Serialize)]
pub(super) struct Tool {
    pub(super) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver {
    pub(super) name: &'static str,
    pub(super) version: String,
    pub(super) semantic_version: String,
    pub(super) short_description: Text,
    pub(super) language: &'static str,
    pub(super) rules: Vec<RuleDescriptor>,
    pub(super) notifications: Vec<NotificationDescriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RuleDescriptor {
    pub(super) id: &'static str,
    pub(super) name: &'static str,
    pub(super) short_description: Text,
    pub(super) full_description: Text,
    pub(super) help: Help,
    pub(super) default_configuration: Configuration,
    pub(super) properties: RuleProperties,
}

#[derive(Serialize)]
pub(super) struct Help {
    pub(super) text: &'static str,
    pub(super) markdown: &'static str,
}

#[derive(Serialize)]
pub(super) struct Configuration {
    pub(super) level: &'static str,
}

#[derive(Serialize)]
pub(super) struct RuleProperties {
    pub(super) tags: Vec<String>,
    pub(super) precision: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NotificationDescriptor {
    pub(super) id: &'static str,
    pub(super) short_description: Text,
}

#[derive(Serialize)]
pub(super) struct BaseLocation {
    pub(super) uri: String,
    pub(super) description: Text,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation {
    pub(super) execution_successful: bool,
    pub(super) exit_code: u8,
    pub(super) command_line: String,
    pub(super) arguments: Vec<String>,
    pub(super) working_directory: ArtifactLocation,
    pub(super) start_time_utc: String,
    pub(super) end_time_utc: String,
    pub(super) tool_execution_notifications: Vec<Notification>,
}

/// What went wrong with the run itself.
#[derive(PartialEq, Serialize)]
pub(super) struct Notification {
    pub(super) descriptor: DescriptorReference,
    pub(super) level: &'static str,
    pub(super) message: Text,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) locations: Option<[SarifLocation; 1]>,
}

#[derive(PartialEq, Serialize)]
pub(super) struct DescriptorReference {
    pub(super) id: &'static str,
    pub(super) index: usize,
}

/// A file that the log speaks of.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Artifact {
    pub(super) location: ArtifactLocation,
    pub(super) length: usize,
    pub(super) roles: [&'static str; 1],
    pub(super) encoding: &'static str,
    pub(super) hashes: Hashes,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source_language: Option<&'static str>,
}

#[derive(Serialize)]
pub(super) struct Hashes {
    #[serde(rename = "sha-256")]
    pub(super) sha256: String,
}

#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<usize>,
}

#[derive(Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

/// A piece of a file, by lines and columns from 1.
#[derive(Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) snippet: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Text>,
}

#[derive(Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) logical_locations: Option<[LogicalLocation; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
}

#[derive(Clone, PartialEq, Serialize)]
pub(super) struct LogicalLocation {
    pub(super) name: String,
    pub(super) kind: &'static str,
}

/// A verdict.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifResult {
    pub(super) rule_id: &'static str,
    pub(super) rule_index: usize,
    pub(super) kind: &'static str,
    pub(super) level: &'static str,
    pub(super) message: Text,
    pub(super) locations: [SarifLocation; 1],
    pub(super) partial_fingerprints: Fingerprints,
    pub(super) properties: Properties,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<SarifLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code_flows: Option<[CodeFlow; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fixes: Option<[SarifFix; 1]>,
}

#[derive(Serialize)]
pub(super) struct Fingerprints {
    #[serde(rename = "fencepostLine/v1")]
    pub(super) line: String,
}

/// What only Fencepost says of a result.
#[derive(Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Properties {
    pub(super) file: String,
    pub(super) model: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) engine: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) criterion: Option<&'static str>,
    pub(super) seconds: Option<Seconds>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) states: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) configurations: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) any_threads: Option<bool>,
    /// Written, also as `null`, for what has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scope: Option<Option<ScopeResult>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeFlow {
    pub(super) message: Text,
    pub(super) thread_flows: Vec<ThreadFlow>,
}

/// Values by the names of their cells.
pub(super) type Values = Ordered<String, Text>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadFlow {
    pub(super) id: String,
    pub(super) message: Text,
    pub(super) initial_state: Values,
    pub(super) locations: Vec<FlowStep>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FlowStep {
    pub(super) execution_order: usize,
    pub(super) kinds: &'static [&'static str],
    pub(super) importance: &'static str,
    pub(super) nesting_level: usize,
    pub(super) location: SarifLocation,
    pub(super) state: Values,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SarifFix {
    pub(super) description: Text,
    pub(super) artifact_changes: [ArtifactChange; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactChange {
    pub(super) artifact_location: ArtifactLocation,
    pub(super) replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement {
    pub(super) deleted_region: Region,
    pub(super) inserted_content: Text,
}
