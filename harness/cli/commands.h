#pragma once

#include <CLI/App.hpp>
#include <functional>

#include "harness/cli/exit_code.h"

namespace causalcheck::cli {

/// What a chosen subcommand does once its arguments are understood.
using Action = std::function<ExitCode()>;

/// Each adds its subcommand to `program`; when it is the chosen one, `action` is set. One file
/// each.
void add_fuzz(CLI::App& program, Action& action);
void add_new_adapter(CLI::App& program, Action& action);
void add_replay(CLI::App& program, Action& action);
void add_check(CLI::App& program, Action& action);
void add_doctor(CLI::App& program, Action& action);
void add_explain(CLI::App& program, Action& action);
void add_backends(CLI::App& program, Action& action);
void add_clocks(CLI::App& program, Action& action);
void add_export(CLI::App& program, Action& action);
void add_report(CLI::App& program, Action& action);
void add_scenario(CLI::App& program, Action& action);
void add_selftest(CLI::App& program, Action& action);
void add_serve(CLI::App& program, Action& action);

}  // namespace causalcheck::cli
