import type { Clock } from '@karpenter-ts/runtime';
import { SECOND } from '@karpenter-ts/runtime';
import type { MessageFault } from '../plan/aws-step.ts';

/** What was sent about an instance. */
export interface SentMessage {
  readonly body: string;
  readonly isOnTime: boolean;
}

interface CourierDeps {
  readonly clock: Clock;
  /** Puts a message into the queue. */
  readonly send: (body: string) => void;
  /** Told of each message, also one that will not arrive. */
  readonly onMessage: (message: SentMessage) => void;
}

/** How long a message that is overtaken by others is on its way; every second one is. */
const LATE = 45 * SECOND;
const AGAIN = 70 * SECOND;

/** Takes events to the queue, as EventBridge does: at least once mostly, in no order, and now and then not at all. */
export class MessageCourier {
  readonly #deps: CourierDeps;
  readonly #faults: MessageFault[] = [];
  #count = 0;

  constructor(deps: CourierDeps) {
    this.#deps = deps;
  }

  /** What happens to messages from now on, until it is ended. */
  begin(fault: MessageFault): () => void {
    this.#faults.push(fault);
    return () => {
      const at = this.#faults.indexOf(fault);
      if (at >= 0) this.#faults.splice(at, 1);
    };
  }

  heal(): void {
    this.#faults.length = 0;
  }

  take(body: string): void {
    const { clock, send, onMessage } = this.#deps;
    const isLost = this.#faults.includes('lost');
    const isLate = this.#faults.includes('reordered') && this.#count++ % 2 === 0;
    onMessage({ body, isOnTime: !isLost && !isLate });
    if (this.#faults.includes('repeated')) clock.after(AGAIN, () => send(body));
    if (isLost) return;
    if (isLate) clock.after(LATE, () => send(body));
    else send(body);
  }
}
