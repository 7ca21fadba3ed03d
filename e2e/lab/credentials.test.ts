import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { test } from 'node:test';
import { createServiceAccountKey, createTokens, renderKubeconfig, renderTokenFile } from './credentials.ts';

const TOKENS = { admin: 'a', karpenter: 'k', developer: 'd' };

test('each role of each lab has a token of its own', () => {
  const tokens = [...Object.values(createTokens()), ...Object.values(createTokens())];
  assert.equal(new Set(tokens).size, 6);
  for (const token of tokens) assert.match(token, /^[\w-]{32}$/);
});

test('the API server learns the user and the groups of each token', () => {
  assert.equal(
    renderTokenFile(TOKENS),
    'a,admin,admin,"system:masters"\n' +
      'k,system:serviceaccount:kube-system:karpenter,karpenter,' +
      '"system:serviceaccounts,system:serviceaccounts:kube-system"\n' +
      'd,developer,developer,""\n',
  );
});

test('the kubeconfig verifies the server and has a context per role', () => {
  const kubeconfig = renderKubeconfig({ server: 'https://127.0.0.1:1', caData: 'PEM', tokens: TOKENS });
  assert.match(kubeconfig, /^current-context: admin$/m);
  assert.match(kubeconfig, /^ {6}server: https:\/\/127\.0\.0\.1:1$/m);
  assert.match(kubeconfig, /^ {6}certificate-authority-data: UEVN$/m);
  assert.doesNotMatch(kubeconfig, /insecure/);
  for (const [role, token] of Object.entries(TOKENS)) {
    assert.ok(kubeconfig.includes(`  - name: ${role}\n    user: { token: ${token} }\n`));
    assert.ok(kubeconfig.includes(`  - name: ${role}\n    context: { cluster: lab, user: ${role} }\n`));
  }
});

test('service accounts are signed with a new RSA key', () => {
  const key = createPrivateKey(createServiceAccountKey());
  assert.deepEqual([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength], ['rsa', 2048]);
});
