import { Command, CommanderError } from 'commander';
import { checkCommand } from './commands/check.ts';
import { controllerCommand } from './commands/controller.ts';
import { dumpCommand } from './commands/dump.ts';
import { planCommand } from './commands/plan.ts';
import { upCommand } from './commands/up.ts';
import type { Io } from './io.ts';
import { printableLine } from './render/printable.ts';
import { version } from './version.ts';

const USAGE_ERROR = 2;

/** Runs the `karpenter` command line. Never throws and never exits: the code is left in `io.exitCode`. */
export async function main(args: readonly string[], io: Io): Promise<void> {
  const program = new Command('karpenter')
    .description('Karpenter in TypeScript: plans, launches and removes the nodes of a Kubernetes cluster.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .addCommand(upCommand(io))
    .addCommand(controllerCommand(io))
    .addCommand(checkCommand(io))
    .addCommand(planCommand(io))
    .addCommand(dumpCommand(io));
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
  }
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    io.exitCode = reportFailure(error, io);
  }
}

function reportFailure(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
  const message = `karpenter: ${error instanceof Error ? error.message : String(error)}`;
  io.stderr.write(`${message.split('\n').map(printableLine).join('\n')}\n`);
  return 1;
}
