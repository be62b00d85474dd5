// Import this first. Zod compiles schemas with `new Function` unless turned off before the first
// schema, and our CSP forbids that.
import { z } from 'zod';

z.config({ jitless: true });
