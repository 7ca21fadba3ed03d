import {
  clientSink,
  type EventRecorder,
  QueuedRecorder,
  type RecorderDeps,
  type Runnable,
} from '@karpenter-ts/runtime';
import type { Client } from '@karpenter-ts/runtime';

type Deps = Omit<RecorderDeps, 'sink' | 'component'> & { readonly client: Client };

/** The event recorders of a control plane, one for each component that speaks. */
export class Recorders implements Runnable {
  readonly #deps: Deps;
  readonly #recorders = new Map<string, QueuedRecorder>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The recorder of a component. All must be asked for before the start. */
  of(component: string): EventRecorder {
    let recorder = this.#recorders.get(component);
    if (recorder === undefined) {
      recorder = new QueuedRecorder({ ...this.#deps, sink: clientSink(this.#deps.client), component });
      this.#recorders.set(component, recorder);
    }
    return recorder;
  }

  async start(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.start(signal)));
  }

  async flush(timeout: number): Promise<void> {
    await Promise.all([...this.#recorders.values()].map((recorder) => recorder.flush(timeout)));
  }
}
