// The views, in the order of the navigation. Each has query, the parameters of
// its stream, and draw.
import { overview } from './overview.js';
import { actors } from './actors.js';
import { actor } from './actor.js';
import { tree } from './tree.js';
import { workers } from './workers.js';
import { waits } from './waits.js';
import { events, letters } from './events.js';
import { job } from './job.js';
import { jobs, names, timers } from './lists.js';
import { recording } from './recording.js';

export const views = { overview, tree, actors, workers, recording, waits, events, letters, jobs, timers, names, actor, job };
