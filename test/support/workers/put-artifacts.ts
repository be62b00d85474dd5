// argv: data folder, count. Stores artifacts of several sizes concurrently and prints a line for each
// stored one.
import { ArtifactStore } from '#main/inputs/artifacts.ts';

const [dataDir = '', count = '0'] = process.argv.slice(2);
const artifacts = new ArtifactStore({ dataDir, clock: Date });
for (let n = 0; n < Number(count); n += 4) {
  const sizes = [1, 5000, 300_000, 40];
  await Promise.all(
    sizes.map(async (size, at) => {
      const { ref } = await artifacts.put(Buffer.alloc(size + n, `${process.pid} ${n + at} `));
      process.stdout.write(`${ref}\n`);
    }),
  );
}
