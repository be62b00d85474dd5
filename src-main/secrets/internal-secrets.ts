// Holdfast's own secrets, such as the key of the space, are stored with the others. Workflows and
// people cannot read or change them.
import { SecretRefused, type SecretStore } from '#main/secrets/secret-store.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';

const INTERNAL = /^holdfast\./i;

/** A view of the store without internal secrets. */
export function withoutInternalSecrets(secrets: SecretStore): SecretStore {
  const assertNotInternal = (name: string): void => {
    if (INTERNAL.test(name)) {
      throw new SecretRefused('Names that begin with "holdfast." are reserved.');
    }
  };
  return {
    async get(name) {
      if (INTERNAL.test(name)) throw new SecretMissing(name);
      return secrets.get(name);
    },
    async set(name, value) {
      assertNotInternal(name);
      await secrets.set(name, value);
    },
    async delete(name) {
      assertNotInternal(name);
      return secrets.delete(name);
    },
    names: async () => (await secrets.names()).filter((name) => !INTERNAL.test(name)),
  };
}
