import { suite } from 'node:test';
import { type Subject, testConformance } from '@karpenter-ts/cloudprovider/testing';
import { makePool } from '@karpenter-ts/scheduling/testing';
import { type Catalogue, loadCatalogue } from './catalogue/catalogue.ts';
import { KWOK_NODE_CLASSES } from './resource-types.ts';
import { KwokEnvironment } from './testing/kwok-environment.ts';

const NODE_POOL = makePool('conformance');

/** What this provider asks of the API server first, by method. */
const FIRST_REQUESTS = {
  create: 'GET /apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses/',
  delete: 'GET /api/v1/nodes/',
  list: 'GET /api/v1/nodes?',
};

async function kwokSubject(catalogue: Catalogue): Promise<Subject> {
  const env = await KwokEnvironment.start(undefined, catalogue);
  await env.patchNodeClass({ spec: { nodeRegistrationDelay: '30s' } });
  const { provider, clock, client } = env;
  let claims = 0;
  return {
    provider,
    nodePool: NODE_POOL,
    makeNodeClaim: (demand) => env.createNodeClaim(`conformance-${++claims}`, demand),
    finish: (call) => clock.runUntil(call),
    advance: (duration) => clock.advance(duration),
    hooks: {
      throttle: async (method) => env.throttleOnce(FIRST_REQUESTS[method]),
      unreadyNodeClass: () => env.unreadyNodeClass(),
      removeNodeClass: () => client.delete(KWOK_NODE_CLASSES, { name: 'default' }),
      findNode: async (providerId) => (await env.listNodes()).find(({ spec }) => spec?.providerID === providerId),
    },
    stop: async () => env.stop(),
  };
}

for (const catalogue of ['kwok', 'ec2'] as const) {
  const loaded = loadCatalogue({ instanceTypesFilePath: '', catalogue });
  suite(`09/104 the KWOK provider conforms, with the catalogue ${catalogue}`, () => {
    testConformance(`kwok (${catalogue})`, () => kwokSubject(loaded));
  });
}
