import type { ProcessEvents } from '@karpenter-ts/runtime';
import { Command } from 'commander';
import type { Io } from '../io.ts';

/** Upstream's flags have Go's syntax, which is read elsewhere: everything after the word is passed on as it is. */
export function controllerCommand(io: Io, source: ProcessEvents = process): Command {
  return new Command('controller')
    .description(
      'Run the controller against the cluster of KUBECONFIG, or the one this pod is in, until it is stopped.',
    )
    .usage("[upstream's flags]")
    .argument('[flags...]', 'upstream’s flags; --help lists them')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (flags: string[]) => {
      const { runController } = await import('../controller/process.ts');
      const code = await runController(flags, process.env, io, source);
      io.exitCode = code;
      // What failed to stop would keep the process alive. A log that nobody reads any more does not make it a failure.
      if (source === process) process.exit(code);
    });
}
