// Runs `npm ci` if node_modules does not hold just the packages that package-lock.json names, by version and hash. Plain
// JavaScript, because it must run before the project's own Node is installed. INSTALL=never refuses instead: other processes may
// be using the packages.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { faultOf } from './local/folder-fault.mjs'

const TELLS_EVERY_MS = 10_000

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** npm takes its changes back when it is told to end, but first waits minutes for a registry that does not answer. */
const NPM_ENDS_WITHIN_MS = 2_000

/** Settings of this machine, such as NODE_ENV=production, would leave packages out, at every start again. */
const WHOLE = [
  '--include=dev',
  '--include=optional',
  '--include=peer',
  '--install-strategy=hoisted',
  '--no-legacy-peer-deps',
]

/** The room that the packages take, with some to spare. */
const PACKAGES_MB = 1_000

/**
 * @typedef {{ version?: string, integrity?: string, optional?: boolean, devOptional?: boolean }} Package
 * @typedef {Record<string, Package>} Packages by folder
 */

/**
 * Returns the packages that a lock file names, or none if it cannot be read.
 * @param {string} file
 * @returns {Packages}
 */
function packagesIn(file) {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- npm writes it, and no library is installed yet
    const lock = /** @type {{ packages: Packages }} */ (JSON.parse(readFileSync(file, 'utf8')))
    const { '': _, ...packages } = lock.packages
    return packages
  } catch {
    return {}
  }
}

/**
 * True if just the locked packages are installed. npm leaves out optional ones of other systems.
 * @param {Packages} locked
 * @param {Packages} installed
 */
function isCurrent(locked, installed) {
  const folders = Object.keys(installed)
  return (
    folders.length > 0 &&
    folders.every(
      (folder) =>
        installed[folder]?.version === locked[folder]?.version &&
        installed[folder]?.integrity === locked[folder]?.integrity,
    ) &&
    Object.entries(locked).every(
      ([folder, { optional, devOptional }]) => folder in installed || optional || devOptional,
    )
  )
}

async function install() {
  const fault = faultOf('.', PACKAGES_MB)
  if (fault !== null) {
    console.error(`The packages cannot be installed in ${process.cwd()}: ${fault}.`)
    process.exit(1)
  }
  console.log('Installing the dependencies with npm ci. This takes about a minute, and is done once …')
  const begun = Date.now()
  const seconds = () => Math.round((Date.now() - begun) / 1000)
  const npm = spawnNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error', ...WHOLE], 'inherit')
  const ping = startPing()
  const endNpm = () => {
    npm.kill()
    setTimeout(() => npm.kill('SIGKILL'), NPM_ENDS_WITHIN_MS).unref()
  }
  for (const signal of SIGNALS) process.on(signal, endNpm)
  const timer = setInterval(
    () => console.log(`  still installing after ${seconds()} s${ping.isAnswered() ? '' : `. ${NO_ANSWER}`}`),
    TELLS_EVERY_MS,
  )
  await once(npm, 'exit')
  // The start goes on in this process, and one signal ends it.
  for (const signal of SIGNALS) process.off(signal, endNpm)
  clearInterval(timer)
  ping.end()
  if (npm.signalCode !== null) {
    console.error('The installation was ended. Run the same command again to go on.')
    process.exit(1)
  }
  if (npm.exitCode !== 0) {
    console.error('The installation failed; npm says why above. Mend that, then run the same command again.')
    process.exit(npm.exitCode ?? 1)
  }
  console.log(`Installed in ${seconds()} s.`)
}

const NO_ANSWER =
  'The registry of packages does not answer. Check the network, and the registry and proxy of `npm config list`. npm goes on trying; Ctrl-C ends it.'

/** Asks the registry by npm itself, which knows its address, proxy and certificates. An error that it sends is an answer too. */
function startPing() {
  const ping = spawnNpm(['ping', '--fetch-retries=0', `--fetch-timeout=${TELLS_EVERY_MS}`], 'pipe')
  let printed = ''
  ping.stderr?.on('data', (part) => (printed += String(part)))
  return {
    isAnswered: () => ping.exitCode === 0 || /\bcode E\d{3}\b/.test(printed),
    end: () => void ping.kill(),
  }
}

/**
 * @param {string[]} args
 * @param {'inherit' | 'pipe'} stdio
 */
function spawnNpm(args, stdio) {
  return spawn('npm', args, { stdio, shell: process.platform === 'win32' })
}

// npm writes the second file when it has installed everything.
if (!isCurrent(packagesIn('package-lock.json'), packagesIn('node_modules/.package-lock.json'))) {
  if (process.env['INSTALL'] === 'never') {
    console.error(
      'node_modules is not what package-lock.json names, and INSTALL=never forbids to install. Run `npm ci`.',
    )
    process.exit(1)
  }
  await install()
}
