import { AsyncLocalStorage } from 'node:async_hooks';
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import type { CloudProvider, ConfiguredProvider } from '@karpenter-ts/cloudprovider';
import { createOperator, type Operator, operatorOptions } from '@karpenter-ts/core';
import { startCluster } from '@karpenter-ts/embedded';
import { kwokModule } from '@karpenter-ts/provider-kwok';
import {
  defaultsOf,
  type Logger,
  Metrics,
  MINUTE,
  SECOND,
  type Transport,
  type TransportRequest,
  VirtualClock,
} from '@karpenter-ts/runtime';
import { recordingLogger, SilenceableTransport } from '@karpenter-ts/runtime/testing';
import { EVENTFUL_LIFE } from './eventful-life.ts';

/** Who asks, and what, without names: `nodepool.counter: PATCH nodepools/status`, `provisioner: provider create`. */
export type Question = string;

/** The controller, or `process` for what belongs to none. */
export function askerOf(question: Question): string {
  return question.split(':')[0] ?? '';
}

/** Which controller the code that runs belongs to. */
const passes = new AsyncLocalStorage<string>();

/**
 * One process and its cluster, in virtual time. It lives an eventful life up to one question, which is never answered, nor
 * is any later one; without a question to its end. Equal lives ask the same questions in the same order.
 */
export class ObservedLife {
  /** All that has been asked so far, in the order of the first time. */
  readonly questions = new Set<Question>();
  readonly #log = recordingLogger();
  readonly #clock = new VirtualClock();
  readonly #stop = new AbortController();
  readonly #unanswered: Question | undefined;
  #transport: SilenceableTransport | undefined;

  constructor(unanswered?: Question) {
    this.#unanswered = unanswered;
  }

  /** Lives until all has happened or the question has come, and stops then. How many milliseconds that took. */
  async live(): Promise<number> {
    const clock = this.#clock;
    const cluster = await startCluster({ clock, seed: 1, crds: RESOURCES.kwok.map(customResourceDefinition) });
    this.#transport = new SilenceableTransport(cluster.transport);
    const { manager } = await this.#createOperator();
    const ended = manager.start(this.#stop.signal);
    for (const { happens, minutes } of EVENTFUL_LIFE) {
      if (this.#isSilent) break;
      await happens(cluster);
      for (let second = 0; second < minutes * 60 && !this.#isSilent; second++) await clock.advance(1 * SECOND);
    }
    const start = clock.now();
    let end = start;
    const stopped = ended.then(() => (end = clock.now()));
    this.#stop.abort();
    await clock.advance(1 * MINUTE);
    await stopped;
    await clock.runUntil(cluster.stop());
    return end - start;
  }

  /** All controllers there are. */
  get controllers(): ReadonlySet<string> {
    const started = this.#log.lines.filter(({ message }) => message === 'Starting Controller');
    return new Set(started.map(({ fields }) => String(fields['controller'])));
  }

  get #isSilent(): boolean {
    return this.#transport!.isSilent;
  }

  #createOperator(): Promise<Operator> {
    const options = defaultsOf(operatorOptions);
    return createOperator({
      options: {
        ...options,
        leaderElectionNamespace: 'kube-system',
        featureGates: { ...options.featureGates, NodeRepair: true },
      },
      provider: this.#listening(kwokModule.configure({ catalogue: 'kwok', instanceTypesFilePath: '' })),
      transport: this.#counting(this.#transport!),
      clock: this.#clock,
      logger: following(this.#log, ''),
      metrics: new Metrics(this.#clock),
      build: { version: '0', commit: '' },
      random: () => 0.5,
      serves: false,
    });
  }

  #counting(transport: Transport): Transport {
    return {
      send: (request, signal) => {
        this.#ask(describe(request));
        return transport.send(request, signal);
      },
      close: () => transport.close(),
    };
  }

  #listening(configured: ConfiguredProvider): ConfiguredProvider {
    return {
      ...configured,
      create: async (deps) => {
        const parts = await configured.create(deps);
        return { ...parts, provider: this.#asked(parts.provider) };
      },
    };
  }

  /** The same provider, with a hook besides, and short toleration of unhealthy nodes. */
  #asked(provider: CloudProvider): CloudProvider {
    const { name, profile, nodeClasses, reservationIdLabel, reservedCapacityLabels } = provider;
    const repairPolicies = provider.repairPolicies.map((policy) => ({ ...policy, toleration: 1 * MINUTE }));
    const ask = <T>(method: string, signal: AbortSignal, answer: () => Promise<T>): Promise<T> => {
      this.#ask(`provider ${method}`);
      return this.#isSilent ? untilAborted(signal) : answer();
    };
    const hook = {
      name: 'hook',
      prepare: (...[nodeClaim, signal]: Parameters<CloudProvider['create']>) =>
        ask('hook', signal, async () => ({ ready: true as const, nodeClaim })),
    };
    return {
      name,
      profile,
      nodeClasses,
      repairPolicies,
      reservationIdLabel,
      reservedCapacityLabels,
      registrationHooks: [hook],
      create: (nodeClaim, signal) => ask('create', signal, () => provider.create(nodeClaim, signal)),
      delete: (nodeClaim, signal) => ask('delete', signal, () => provider.delete(nodeClaim, signal)),
      get: (providerId, signal) => ask('get', signal, () => provider.get(providerId, signal)),
      list: (signal) => ask('list', signal, () => provider.list(signal)),
      instanceTypes: (nodePool, signal) => ask('instanceTypes', signal, () => provider.instanceTypes(nodePool, signal)),
      findDrift: (nodeClaim, signal) => ask('findDrift', signal, () => provider.findDrift(nodeClaim, signal)),
    };
  }

  #ask(what: string): void {
    const question = `${passes.getStore() ?? 'process'}: ${what}`;
    this.questions.add(question);
    if (question === this.#unanswered) this.#transport!.isSilent = true;
  }
}

/** Notes whose pass begins: the runtime derives a logger with an id for each. */
function following(logger: Logger, controller: string): Logger {
  return {
    ...logger,
    with: (fields) => {
      const name = typeof fields['controller'] === 'string' ? fields['controller'] : controller;
      if ('reconcileID' in fields) passes.enterWith(name);
      return following(logger.with(fields), name);
    },
  };
}

/** Says nothing until whoever asked gives up. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** `PATCH /apis/karpenter.sh/v1/nodeclaims/a/status` as `PATCH nodeclaims/status`. */
function describe({ method, path }: TransportRequest): string {
  const { pathname, searchParams } = new URL(path, 'http://server');
  const place = pathname.replace(/^\/(api|apis\/[^/]+)\/[^/]+\/(namespaces\/[^/]+\/)?/, '');
  const [resource, , subresource] = place.split('/');
  const verb = searchParams.has('watch') ? 'WATCH' : method;
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}
