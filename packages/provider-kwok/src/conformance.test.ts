import { suite } from 'node:test';
import { type Subject, testConformance } from '@karpenter-ts/cloudprovider/testing';
import { makePool } from '@karpenter-ts/scheduling/testing';
import { type Catalogue, loadCatalogue } from './catalogue/catalogue.ts';
import { KWOK_NODE_CLASSES } from './resource-types.ts';
import { KwokWorld } from './testing/kwok-world.ts';

const NODE_POOL = makePool('conformance');

/** What this provider asks of the API server first, by method. */
const FIRST_REQUESTS = {
  create: 'GET /apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses/',
  delete: 'GET /api/v1/nodes/',
  list: 'GET /api/v1/nodes?',
};

async function kwokSubject(catalogue: Catalogue): Promise<Subject> {
  const world = await KwokWorld.start(undefined, catalogue);
  await world.patchNodeClass({ spec: { nodeRegistrationDelay: '30s' } });
  const { provider, clock, client } = world;
  let claims = 0;
  return {
    provider,
    nodePool: NODE_POOL,
    makeNodeClaim: (demand) => world.createNodeClaim(`conformance-${++claims}`, demand),
    finish: (call) => clock.runUntil(call),
    advance: (duration) => clock.advance(duration),
    levers: {
      throttle: async (method) => world.throttleOnce(FIRST_REQUESTS[method]),
      unreadyNodeClass: () => world.unreadyNodeClass(),
      removeNodeClass: () => client.delete(KWOK_NODE_CLASSES, { name: 'default' }),
      findNode: async (providerId) => (await world.listNodes()).find(({ spec }) => spec?.providerID === providerId),
    },
    stop: async () => world.stop(),
  };
}

for (const catalogue of ['kwok', 'ec2'] as const) {
  const loaded = loadCatalogue({ instanceTypesFilePath: '', catalogue });
  suite(`09/104 the KWOK provider conforms, with the catalogue ${catalogue}`, () => {
    testConformance(`kwok (${catalogue})`, () => kwokSubject(loaded));
  });
}
