// Imported first: zod compiles schemas with `new Function` unless told not to, and the page's
// policy forbids that. It must be told before the first schema is made.
import { z } from 'zod';

z.config({ jitless: true });
