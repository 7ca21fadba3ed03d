import type { Random } from './random.ts';

/** Temporary credentials as STS hands them out. */
export interface TemporaryCredentials {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly SessionToken: string;
  readonly Expiration: Date;
}

/** Who calls, for GetCallerIdentity. */
interface Caller {
  readonly account: string;
  readonly arn: string;
  readonly userId: string;
}

interface Session extends Caller {
  readonly expiresAt: number;
}

interface NewSession extends Caller {
  readonly now: number;
  readonly duration: number;
}

/**
 * Which account an access key belongs to. Keys that nobody issued belong to the emulator's own account, so that any
 * static credentials will do. Sessions are forgotten a day after they have expired.
 */
export class Credentials {
  readonly #ownAccount: string;
  readonly #random: Random;
  readonly #sessions = new Map<string, Session>();

  constructor(ownAccount: string, random: Random) {
    this.#ownAccount = ownAccount;
    this.#random = random;
  }

  issue({ account, arn, userId, now, duration }: NewSession): TemporaryCredentials {
    for (const [key, { expiresAt }] of this.#sessions) if (expiresAt + DAY < now) this.#sessions.delete(key);
    const accessKeyId = `ASIA${this.#random.hex(16).toUpperCase()}`;
    this.#sessions.set(accessKeyId, { account, arn, userId, expiresAt: now + duration });
    return {
      AccessKeyId: accessKeyId,
      SecretAccessKey: this.#random.hex(40),
      SessionToken: this.#random.hex(64),
      Expiration: new Date(now + duration),
    };
  }

  callerOf(accessKeyId: string, now: number): Caller & { readonly isExpired: boolean } {
    const session = this.#sessions.get(accessKeyId);
    if (session !== undefined) return { ...session, isExpired: session.expiresAt <= now };
    const account = this.#ownAccount;
    return {
      account,
      arn: `arn:aws:iam::${account}:user/emulator`,
      userId: 'AIDAEMULATOR000000000',
      isExpired: false,
    };
  }
}

const DAY = 86_400_000;
