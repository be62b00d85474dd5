// Secrets of hooks. They are in the secret store under a reserved prefix that no workflow can read.
import { randomBytes } from 'node:crypto';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { Hook } from '#main/store/tables/hooks.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';

const nameOf = (hookId: string): string => `holdfast.hook.${hookId}`;
const previousOf = (hookId: string): string => `${nameOf(hookId)}.previous`;

export class HookSecrets {
  readonly #secrets: SecretStore;

  constructor(secrets: SecretStore) {
    this.#secrets = secrets;
  }

  /** The accepted secrets: the current one and, until `previousUntil`, the one before. */
  async of(hook: Hook, now: number): Promise<string[]> {
    const names = [nameOf(hook.id)];
    if (hook.previousUntil !== null && now < hook.previousUntil) names.push(previousOf(hook.id));
    const found = await Promise.all(names.map((name) => this.#get(name)));
    return found.filter((secret) => secret !== null);
  }

  async make(hookId: string, given?: string): Promise<string> {
    const secret = given ?? randomBytes(32).toString('base64url');
    await this.#secrets.set(nameOf(hookId), secret);
    return secret;
  }

  async rotate(hookId: string, keepsOld: boolean, given?: string): Promise<string> {
    const old = await this.#get(nameOf(hookId));
    if (keepsOld && old !== null) await this.#secrets.set(previousOf(hookId), old);
    else await this.#secrets.delete(previousOf(hookId));
    return this.make(hookId, given);
  }

  async remove(hookId: string): Promise<void> {
    await this.#secrets.delete(nameOf(hookId));
    await this.#secrets.delete(previousOf(hookId));
  }

  async #get(name: string): Promise<string | null> {
    try {
      return await this.#secrets.get(name);
    } catch (error) {
      if (error instanceof SecretMissing) return null;
      throw error;
    }
  }
}
