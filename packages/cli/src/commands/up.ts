import type { SignalSource } from '@karpenter-ts/runtime';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../io.ts';
import type { UpSettings } from '../up/session.ts';

/** Beyond this, kubelets cannot renew their leases in time. */
const TOP_SPEED = 60;

/** `source` is where Ctrl-C comes from. */
export function upCommand(io: Io, source: SignalSource = process): Command {
  return new Command('up')
    .description('Run a small Kubernetes cluster with Karpenter and simulated nodes in this process, until Ctrl-C.')
    .addOption(
      new Option(
        '--scenario <name or file>',
        'what happens by itself; scale-out unless told, nothing without the controller',
      ).conflicts('samples'),
    )
    .addOption(
      new Option(
        '--provider <name>',
        'where nodes come from: kwok, or aws as it is emulated in this process; what the scenario is for unless told, else kwok',
      ).choices(['kwok', 'aws']),
    )
    .addOption(
      new Option(
        '--aws-endpoint <address:port>',
        'with --provider aws: serve AWS over HTTP there, for the aws command line; 127.0.0.1, port 0 is any free one',
      ).argParser(awsEndpoint),
    )
    .addOption(new Option('--pods <number>', 'how many pods it begins with, if not its own number').argParser(pods))
    .addOption(new Option('--speed <factor>', 'run the clock faster, such as 10x').default(1, '1x').argParser(speed))
    .option('--no-samples', 'leave the cluster empty: no pools, no workloads')
    .option('--no-controller', 'the cluster alone, for a controller of your own')
    .addOption(
      new Option(
        '--nodes <number>',
        'how many nodes to begin with, besides those Karpenter adds; 3 without the controller, else none',
      ).argParser(nodes),
    )
    .addOption(
      new Option('--port <number>', 'where to listen on 127.0.0.1; 0 is any free port').default(0).argParser(port),
    )
    .addOption(
      new Option(
        '--kubeconfig <file>',
        'where to write how to reach it, and to remove it at the end; must not exist',
      ).argParser(path),
    )
    .addOption(
      new Option('--log-level <level>', 'what to print of the logs')
        .choices(['debug', 'info', 'error'])
        .default('error'),
    )
    .action(async (settings: UpSettings) => {
      const { runCluster } = await import('../up/session.ts'); // two hundred files that no other command needs
      await runCluster(settings, io, source);
    });
}

function path(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('must name a file');
}

function port(text: string): number {
  return whole(text, 65_535);
}

/** The port: whatever can reach it can do everything in that account, so it is served to this machine only. */
function awsEndpoint(text: string): number {
  const [, address = '', digits = ''] = /^(.*):(\d+)$/.exec(text) ?? [];
  if ((address === '127.0.0.1' || address === 'localhost') && Number(digits) <= 65_535) return Number(digits);
  throw new InvalidArgumentError(
    'must be 127.0.0.1 and a port, such as 127.0.0.1:4566; it is served on no other address',
  );
}

function nodes(text: string): number {
  return whole(text, 5_000);
}

function pods(text: string): number {
  return whole(text, 100_000);
}

function whole(text: string, max: number): number {
  if (/^\d+$/.test(text) && Number(text) <= max) return Number(text);
  throw new InvalidArgumentError(`must be a whole number from 0 to ${max}`);
}

function speed(text: string): number {
  const factor = /^\d+(\.\d+)?x?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (factor >= 1 && factor <= TOP_SPEED) return factor;
  throw new InvalidArgumentError(`must be a number from 1x to ${TOP_SPEED}x`);
}
