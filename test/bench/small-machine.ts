import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'

/** What a machine has that is slower than this one. */
export interface SmallMachine {
  readonly title: string
  /** Put before the server's command line. */
  readonly prefix: readonly string[]
  close(): Promise<void>
}

/** A share of a core in slices so short that it looks like a slower core, not like one that stops now and then. */
const PERIOD_MICROS = 4000
const SHARE = 1 / 4
const CORE = '0'
const FSYNC_MICROS = 20_000

/** One core at a quarter of its speed, by a quota of the kernel where we may set one, else beside three processes that only spin. */
export function slowCore(): SmallMachine {
  const pinned = ['taskset', '-c', CORE]
  const quota = makeCgroup()
  if (quota !== undefined) {
    const enter = ['/bin/sh', '-c', `echo $$ > ${quota}/cgroup.procs && exec "$@"`, 'sh']
    return {
      title: 'a quarter of one core',
      prefix: [...enter, ...pinned],
      async close() {
        // The kernel lets go of it a moment after its last process has ended.
        for (let attempt = 0; attempt < 20 && existsSync(quota); attempt++) {
          try {
            rmdirSync(quota)
          } catch {
            await Bun.sleep(50)
          }
        }
      },
    }
  }
  const spinning = Array.from({ length: 1 / SHARE - 1 }, () =>
    Bun.spawn([...pinned, 'sh', '-c', 'while :; do :; done']),
  )
  const stop = () => {
    for (const child of spinning) child.kill('SIGKILL')
  }
  process.once('exit', stop)
  return {
    title: 'one core shared with three processes that spin',
    prefix: pinned,
    async close() {
      stop()
      await Promise.all(spinning.map((child) => child.exited))
    },
  }
}

/** A disk on which each fsync takes 20 ms longer: strace holds up the thread that asked for it. Undefined without strace. */
export function slowDisk(): SmallMachine | undefined {
  if (Bun.which('strace') === null) return undefined
  const calls = 'fsync,fdatasync'
  // -D makes it a process beside the server, which stays our child; --seccomp-bpf leaves all other system calls as fast as they are.
  const options = ['-D', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null', '-e', `trace=${calls}`]
  return {
    title: `fsync takes ${FSYNC_MICROS / 1000} ms`,
    prefix: ['strace', ...options, '-e', `inject=${calls}:delay_exit=${FSYNC_MICROS}`],
    close: async () => undefined,
  }
}

/** strace first, so that it does not live off the quarter of a core. */
export function both(core: SmallMachine, disk: SmallMachine): SmallMachine {
  return { title: `${core.title}, ${disk.title}`, prefix: [...disk.prefix, ...core.prefix], close: core.close }
}

/** A control group with the quota, of either version of the kernel's interface; undefined where we may not. */
function makeCgroup(): string | undefined {
  const [period, quota] = [PERIOD_MICROS, PERIOD_MICROS * SHARE]
  const versions = [
    { root: '/sys/fs/cgroup/cpu', files: { 'cpu.cfs_period_us': `${period}`, 'cpu.cfs_quota_us': `${quota}` } },
    { root: '/sys/fs/cgroup', files: { 'cpu.max': `${quota} ${period}` } },
  ]
  for (const { root, files } of versions) {
    const path = `${root}/podstep-bench-${process.pid}`
    try {
      mkdirSync(path)
      for (const [file, value] of Object.entries(files)) writeFileSync(`${path}/${file}`, value, { flag: 'r+' })
      return path
    } catch {
      if (existsSync(path)) rmdirSync(path)
    }
  }
  return undefined
}
