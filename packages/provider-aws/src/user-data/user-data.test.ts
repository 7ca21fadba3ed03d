import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderUserData } from './user-data.ts';
import type { UserDataInput } from './user-data-input.ts';

// The examples of spec 08 §16, byte for byte.

const SPOT = { 'karpenter.sh/capacity-type': 'spot', 'karpenter.sh/do-not-sync-taints': 'true' };
const UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

const demo = (family: string, input: Partial<UserDataInput>): string => {
  const cluster = {
    name: 'demo',
    endpoint: 'https://k.example',
    caBundle: 'Q0E=',
    kubeDnsIp: undefined,
    cidr: '172.20.0.0/16',
  };
  const rendered = renderUserData({
    family,
    cluster,
    custom: undefined,
    kubelet: {},
    labels: SPOT,
    taints: [UNREGISTERED],
    instanceStorePolicy: undefined,
    ...input,
  });
  return Buffer.from(rendered, 'base64').toString();
};

test('08/92 the example of AL2: the custom script, then the call of the bootstrap script', () => {
  const rendered = demo('AL2', {
    custom: 'echo hi',
    labels: { ...SPOT, team: 'a' },
    kubelet: { maxPods: 29, clusterDNS: ['10.0.0.10'] },
  });
  assert.equal(
    rendered,
    `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: text/x-shellscript; charset="us-ascii"

echo hi
--//
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash -xe
exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1
/etc/eks/bootstrap.sh 'demo' --apiserver-endpoint 'https://k.example' --b64-cluster-ca 'Q0E=' \\
--dns-cluster-ip '10.0.0.10' \\
--use-max-pods false \\
--kubelet-extra-args '--node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/do-not-sync-taints=true,team=a" --register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=29'
--//--
`,
  );
});

test('08/97 the example of AL2023: a NodeConfig with all taints', () => {
  const rendered = demo('AL2023', {
    labels: { ...SPOT, 'karpenter.sh/capacity-type': 'on-demand' },
    taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }, UNREGISTERED],
    kubelet: {
      maxPods: 29,
      clusterDNS: ['172.20.0.10'],
      evictionSoft: { 'memory.available': '5%' },
      evictionSoftGracePeriod: { 'memory.available': '90s' },
    },
  });
  assert.equal(
    rendered,
    `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="//"

--//
Content-Type: application/node.eks.aws

# Karpenter Generated NodeConfig
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
metadata: {}
spec:
  cluster:
    apiServerEndpoint: https://k.example
    certificateAuthority: Q0E=
    cidr: 172.20.0.0/16
    name: demo
  containerd: {}
  instance:
    localStorage: {}
  kubelet:
    config:
      clusterDNS:
      - 172.20.0.10
      evictionSoft:
        memory.available: 5%
      evictionSoftGracePeriod:
        memory.available: 1m30s
      maxPods: 29
      registerWithTaints:
      - effect: NoSchedule
        key: team
        value: a
      - effect: NoExecute
        key: karpenter.sh/unregistered
    flags:
    - --node-labels="karpenter.sh/capacity-type=on-demand,karpenter.sh/do-not-sync-taints=true"

--//--
`,
  );
});

test('08/104 the example of Windows, with and without a custom script: no final line break', () => {
  const own = `[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"
& $EKSBootstrapScriptFile -EKSClusterName 'demo' -APIServerEndpoint 'https://k.example' -Base64ClusterCA 'Q0E=' -KubeletExtraArgs '--node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/do-not-sync-taints=true" --register-with-taints="karpenter.sh/unregistered:NoExecute" --max-pods=110' -DNSClusterIP '10.0.0.10'
</powershell>`;
  const kubelet = { maxPods: 110, clusterDNS: ['10.0.0.10'] };
  assert.equal(demo('Windows2022', { kubelet }), `<powershell>\n${own}`);
  const custom = 'Write-Host "hi"\r\nGet-Date';
  assert.equal(demo('Windows2025', { kubelet, custom }), `<powershell>\n${custom}\n${own}`);
});
