import { suite } from 'node:test';
import { type Subject, testConformance } from '@karpenter-ts/cloudprovider/testing';
import { makePool } from '@karpenter-ts/scheduling/testing';
import { type Catalogue, loadCatalogue } from './catalogue/catalogue.ts';
import { KWOK_NODE_CLASSES } from './resource-types.ts';
import { KwokFixture } from './testing/kwok-fixture.ts';

const NODE_POOL = makePool('conformance');

/** What this provider asks of the API server first, by method. */
const FIRST_REQUESTS = {
  create: 'GET /apis/karpenter.kwok.sh/v1alpha1/kwoknodeclasses/',
  delete: 'GET /api/v1/nodes/',
  list: 'GET /api/v1/nodes?',
};

async function kwokSubject(catalogue: Catalogue): Promise<Subject> {
  const fixture = await KwokFixture.start(undefined, catalogue);
  await fixture.patchNodeClass({ spec: { nodeRegistrationDelay: '30s' } });
  const { provider, clock, client } = fixture;
  let claims = 0;
  return {
    provider,
    nodePool: NODE_POOL,
    makeNodeClaim: (demand) => fixture.createNodeClaim(`conformance-${++claims}`, demand),
    finish: (call) => clock.runUntil(call),
    advance: (duration) => clock.advance(duration),
    levers: {
      throttle: async (method) => fixture.throttleOnce(FIRST_REQUESTS[method]),
      unreadyNodeClass: () => fixture.unreadyNodeClass(),
      removeNodeClass: () => client.delete(KWOK_NODE_CLASSES, { name: 'default' }),
      findNode: async (providerId) => (await fixture.listNodes()).find(({ spec }) => spec?.providerID === providerId),
    },
    stop: async () => fixture.stop(),
  };
}

for (const catalogue of ['kwok', 'ec2'] as const) {
  const loaded = loadCatalogue({ instanceTypesFilePath: '', catalogue });
  suite(`09/104 the KWOK provider conforms, with the catalogue ${catalogue}`, () => {
    testConformance(`kwok (${catalogue})`, () => kwokSubject(loaded));
  });
}
