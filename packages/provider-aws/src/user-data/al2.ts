import { isIPv6 } from 'node:net';
import { kubeletArguments } from './kubelet-arguments.ts';
import { readMime } from './mime-reader.ts';
import { looksLikeMime, type MimePart, SHELL_SCRIPT, toBytes, writeMime } from './mime.ts';
import type { UserDataInput } from './user-data-input.ts';

/** A MIME archive: what the user brings, then the call of the image's own bootstrap script (spec 08 §16.3). */
export function al2UserData(input: UserDataInput): string {
  const bootstrap = { headers: [['Content-Type', SHELL_SCRIPT]], body: toBytes(bootstrapScript(input)) } as const;
  return writeMime([...customParts(input.custom), bootstrap]);
}

function customParts(custom: string | undefined): readonly MimePart[] {
  if (!custom) return [];
  if (!looksLikeMime(custom)) return [{ headers: [['Content-Type', SHELL_SCRIPT]], body: toBytes(custom) }];
  try {
    return readMime(custom);
  } catch (cause) {
    throw new Error(`parsing custom user data input ${(cause as Error).message}`, { cause });
  }
}

function bootstrapScript(input: UserDataInput): string {
  const { cluster, kubelet, instanceStorePolicy } = input;
  const [dns] = kubelet.clusterDNS ?? [];
  const ca = cluster.caBundle === undefined ? '' : `--b64-cluster-ca '${cluster.caBundle}'`;
  const command = [
    `/etc/eks/bootstrap.sh '${cluster.name}' --apiserver-endpoint '${cluster.endpoint}' ${ca}`,
    ...(dns !== undefined && isIPv6(dns) && !isMappedIPv4(dns) ? ['--ip-family ipv6'] : []),
    ...(dns === undefined ? [] : [`--dns-cluster-ip '${dns}'`]),
    ...(kubelet.maxPods === undefined ? [] : ['--use-max-pods false']),
    `--kubelet-extra-args '${kubeletArguments(input)}'`,
    ...(instanceStorePolicy === 'RAID0' ? ['--local-disks raid0'] : []),
  ];
  return [
    '#!/bin/bash -xe',
    'exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1',
    command.join(' \\\n'),
  ].join('\n');
}

/** An IPv4 address in the notation of IPv6, such as `::ffff:10.0.0.10`. */
function isMappedIPv4(address: string): boolean {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address);
}
