//! What is meant by what was typed.

use crate::options::{
    BmcOptions, CampaignOptions, CheckModel, CheckOptions, DataModelName, EngineName, GoalName, InputFormat,
    InputOptions, LitmusModel, ModelName, SearchOrder, SequencesName, SmaName,
};
use fencepost_c::DataModel;
use fencepost_explore::{Reduction, Strategy};
use fencepost_task::{AnyModel, Asked, Bounds, EngineChoice, EngineId, Model, Property};
use fencepost_verify::campaign;
use fencepost_verify::fences::GoalKind;
use fencepost_verify::litmus::Judge;
use fencepost_verify::{
    self as verify, COptions, Format, Limits, Misfit, ReadOptions, ReleaseSequences, Sma,
};

impl From<ModelName> for Model {
    fn from(name: ModelName) -> Model {
        match name {
            ModelName::Sc => Model::Sc,
            ModelName::Tso => Model::Tso,
            ModelName::Pso => Model::Pso,
        }
    }
}

impl CheckModel {
    /// The models that it means.
    fn meant(self) -> Vec<AnyModel> {
        match self {
            CheckModel::Sc => vec![Model::Sc.into()],
            CheckModel::Tso => vec![Model::Tso.into()],
            CheckModel::Pso => vec![Model::Pso.into()],
            CheckModel::C11 => vec![AnyModel::C11],
            CheckModel::All => AnyModel::ALL.to_vec(),
        }
    }
}

impl LitmusModel {
    /// What tests are judged by.
    pub fn meant(self, sequences: SequencesName) -> Judge {
        match self {
            LitmusModel::Sc => Judge::Machine(Model::Sc),
            LitmusModel::Tso => Judge::Machine(Model::Tso),
            LitmusModel::Pso => Judge::Machine(Model::Pso),
            LitmusModel::C11 => Judge::C11(sequences.into()),
        }
    }
}

impl From<SequencesName> for ReleaseSequences {
    fn from(name: SequencesName) -> ReleaseSequences {
        match name {
            SequencesName::Cxx20 => ReleaseSequences::Cxx20,
            SequencesName::C11 => ReleaseSequences::C11,
        }
    }
}

impl From<EngineName> for EngineChoice {
    fn from(name: EngineName) -> EngineChoice {
        match name {
            EngineName::Auto => EngineChoice::Auto,
            EngineName::Explicit => EngineChoice::Only(EngineId::Explicit),
            EngineName::Dual => EngineChoice::Only(EngineId::Dual),
            EngineName::Lazy => EngineChoice::Only(EngineId::Lazy),
            EngineName::Rounds => EngineChoice::Only(EngineId::Rounds),
            EngineName::Age => EngineChoice::Only(EngineId::Age),
            EngineName::Bmc => EngineChoice::Only(EngineId::Bmc),
        }
    }
}

impl From<GoalName> for GoalKind {
    fn from(name: GoalName) -> GoalKind {
        match name {
            GoalName::Safe => GoalKind::Safe,
            GoalName::Robust => GoalKind::Robust,
        }
    }
}

impl From<InputFormat> for Format {
    fn from(name: InputFormat) -> Format {
        match name {
            InputFormat::Litmus => Format::Litmus,
            InputFormat::Fp => Format::Fp,
            InputFormat::Memorax => Format::Memorax,
            InputFormat::Trencher => Format::Trencher,
            InputFormat::C => Format::C,
        }
    }
}

impl From<DataModelName> for DataModel {
    fn from(name: DataModelName) -> DataModel {
        match name {
            DataModelName::Lp64 => DataModel::Lp64,
            DataModelName::Ilp32 => DataModel::Ilp32,
        }
    }
}

impl From<SmaName> for Sma {
    fn from(name: SmaName) -> Sma {
        match name {
            SmaName::Sc => Sma::Sc,
            SmaName::Tso => Sma::Tso,
            SmaName::Pso => Sma::Pso,
            SmaName::Etso => Sma::Etso,
            SmaName::Epso => Sma::Epso,
        }
    }
}

impl InputOptions {
    /// How texts become programs.
    pub fn meant(&self) -> ReadOptions {
        ReadOptions {
            format: self.input_format.map(Format::from),
            threads: self.threads,
            any_threads: self.any_threads,
            c: COptions {
                include_dirs: self.include.clone(),
                defines: self.define.clone(),
                commands: self.commands.clone(),
                flags: self.c_flag.clone(),
                preprocessor: self.cpp.clone(),
                data_model: self.data_model.into(),
                args: self.args.clone(),
                fence: Vec::new(),
                havoc_externs: self.havoc_externs,
            },
            asked: self.asked(),
        }
    }

    /// What is asked of programs: the short forms add to what `--property` says, and `--no-check` takes away.
    fn asked(&self) -> Asked {
        let mut asked = match &self.property[..] {
            [] => Asked::default(),
            properties => Asked::only(properties),
        };
        let short = [
            (self.races, Property::Races),
            (self.deadlock, Property::Deadlock),
            (self.leaks, Property::Leaks),
            (self.exit_status, Property::Exit),
            (self.overflow, Property::Overflow),
        ];
        short.iter().filter(|(given, _)| *given).for_each(|(_, property)| asked.add(property));
        asked.checks.off.extend(&self.no_check);
        asked
    }
}

impl CheckOptions {
    /// How programs are checked.
    pub fn meant(&self) -> verify::CheckOptions {
        let BmcOptions { unwind, rounds, clock, queue, width, block, sma, dimacs, proof } = self.bmc.clone();
        verify::CheckOptions {
            engine: self.engine.into(),
            bounds: Bounds {
                buffer: self.buffer,
                unwind,
                rounds,
                age: self.age,
                clock,
                queue,
                width: width.map(u32::from),
                block,
                ..Bounds::default()
            },
            search: match self.search {
                SearchOrder::Bfs => Strategy::Breadth,
                SearchOrder::Dfs => Strategy::Depth,
            },
            reduction: if self.no_reduction { Reduction::Off } else { Reduction::On },
            iterations: self.iterations,
            sma: sma.map(Sma::from),
            dimacs,
            proof,
            release_sequences: self.release_sequences.into(),
            jobs: self.jobs,
        }
    }

    /// The models that are asked for, each once.
    pub fn models(&self) -> Vec<AnyModel> {
        let mut models: Vec<AnyModel> = Vec::new();
        for model in self.models.iter().flat_map(|name| name.meant()) {
            if !models.contains(&model) {
                models.push(model);
            }
        }
        models
    }

    /// Whether C11 is meant for those files only that have memory orders.
    pub fn leaves_out(&self) -> bool {
        self.models.contains(&CheckModel::All) && !self.models.contains(&CheckModel::C11)
    }

    /// Time and memory for each file and model.
    pub fn limits(&self) -> Limits {
        Limits { seconds: self.timeout, megabytes: self.memory }
    }
}

impl CampaignOptions {
    /// Which part is done, and where results are kept.
    pub fn meant(&self) -> campaign::CampaignOptions {
        campaign::CampaignOptions { shard: self.shard, results: self.results.clone() }
    }
}

/// Limits as results write them.
pub fn limits_text(limits: Limits) -> String {
    let told = |limit: Option<String>, unit| limit.map_or("none".to_string(), |n| format!("{n} {unit}"));
    format!(
        "time {}, memory {}",
        told(limits.seconds.map(|s| s.to_string()), "s"),
        told(limits.megabytes.map(|m| m.to_string()), "MB")
    )
}

/// Why options do not fit, in the words of the command line.
pub fn misfit(misfit: Misfit) -> String {
    match misfit {
        Misfit::Abstraction { wanted, model } => {
            format!("this --sma is for --model {}, and the model is {}", wanted.name(), model.name())
        }
    }
}
