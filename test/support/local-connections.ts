// How tests reach servers of this machine, whatever else it does. Before each file of a process.
import { Agent, setGlobalDispatcher } from 'undici'
import { sendingAgain } from './sending-again.ts'

// Servers end a connection after five idle seconds: no call meets that end, though this process be held up for long.
setGlobalDispatcher(new Agent({ keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 }))

if (fetch.name !== 'sendAgain') globalThis.fetch = sendingAgain(fetch)
