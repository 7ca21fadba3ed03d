import { type BootInstructions, JoinError } from './boot-instructions.ts';
import { UNTOLD, withArguments } from './kubelet-arguments.ts';
import { powershellCommands } from './powershell-words.ts';
import { shellWords } from './shell-words.ts';

/** Windows: the PowerShell between the tags runs Start-EKSBootstrap.ps1. */
export function readWindows(text: string): BootInstructions {
  const parameters = bootstrapParameters(/<powershell>([^]*)<\/powershell>/i.exec(text)?.[1] ?? '');
  if (parameters === undefined) throw new JoinError({ kind: 'no-bootstrap', family: 'Windows' });
  const name = parameters.get('eksclustername') ?? '';
  if (name === '') throw new JoinError({ kind: 'missing', setting: 'name' });
  const told = ['apiserverendpoint', 'base64clusterca'].every((parameter) => parameters.get(parameter));
  const dns = parameters.get('dnsclusterip');
  return {
    family: 'Windows',
    cluster: {
      name,
      // Unless it is told both, the script asks EKS for both.
      endpoint: told ? parameters.get('apiserverendpoint') : undefined,
      certificateAuthority: told ? parameters.get('base64clusterca') : undefined,
    },
    kubelet: withArguments(
      { ...UNTOLD, clusterDns: dns ? [dns] : [] },
      shellWords(parameters.get('kubeletextraargs') ?? ''),
    ),
    localDisks: 'unused',
  };
}

/** The parameters of the script by their names in lower case. PowerShell cares for no letter case. */
function bootstrapParameters(script: string): ReadonlyMap<string, string> | undefined {
  const command = powershellCommands(script).find(
    ([call, file]) => call === '&' && /EKSBootstrapScriptFile$|Start-EKSBootstrap\.ps1$/i.test(file ?? ''),
  );
  if (command === undefined) return undefined;
  const parameters = new Map<string, string>();
  for (let at = 2; at < command.length; at++) {
    const match = /^-([a-z0-9]+)(?::(.+))?$/i.exec(command[at]!);
    if (match !== null) parameters.set(match[1]!.toLowerCase(), match[2] ?? command[++at] ?? '');
  }
  return parameters;
}
