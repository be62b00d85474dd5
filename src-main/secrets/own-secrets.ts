// Some secrets are Holdfast's own, as the key of the space is. They lie with the others, but no
// workflow can ask for them, and no person sets or sees them.
import { SecretRefused, type SecretStore } from '#main/secrets/secret-store.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';

const OWN = /^holdfast\./i;

/** The same secrets, as workflows and people have them. */
export function withoutOwnSecrets(secrets: SecretStore): SecretStore {
  const refuse = (name: string): void => {
    if (OWN.test(name)) {
      throw new SecretRefused(`Names that begin with "holdfast." are kept for Holdfast itself.`);
    }
  };
  return {
    async get(name) {
      if (OWN.test(name)) throw new SecretMissing(name);
      return secrets.get(name);
    },
    async set(name, value) {
      refuse(name);
      await secrets.set(name, value);
    },
    async delete(name) {
      refuse(name);
      return secrets.delete(name);
    },
    names: async () => (await secrets.names()).filter((name) => !OWN.test(name)),
  };
}
