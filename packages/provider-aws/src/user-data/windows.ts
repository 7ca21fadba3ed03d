import { kubeletArguments } from './kubelet-arguments.ts';
import type { UserDataInput } from './user-data-input.ts';

/** A PowerShell script; custom text comes first (spec 08 §16.6). */
export function windowsUserData(input: UserDataInput): string {
  const { cluster, custom, kubelet } = input;
  const [dns] = kubelet.clusterDNS ?? [];
  const bootstrap = [
    '& $EKSBootstrapScriptFile',
    `-EKSClusterName '${cluster.name}'`,
    `-APIServerEndpoint '${cluster.endpoint}'`,
    ...(cluster.caBundle === undefined ? [] : [`-Base64ClusterCA '${cluster.caBundle}'`]),
    `-KubeletExtraArgs '${kubeletArguments(input)}'`,
    ...(dns === undefined ? [] : [`-DNSClusterIP '${dns}'`]),
  ];
  const lines = [
    '<powershell>',
    ...(custom ? [custom] : []),
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    bootstrap.join(' '),
    '</powershell>',
  ];
  return Buffer.from(lines.join('\n')).toString('base64');
}
