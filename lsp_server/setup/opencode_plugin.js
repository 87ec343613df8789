// Made by `coeditor setup opencode`: OpenCode's own tools under Coeditor's guard.
// Each event goes to `coeditor hook` as JSON; what it answers refuses a call, or is added to its output.
import { spawn } from "node:child_process"

const COMMAND = ["coeditor", "hook"]
const PATIENCE = 20000
// With `hook_failure = "closed"`, what would change files is refused where nobody can be asked.
const CLOSED = false
const CHANGING = new Set(["edit", "multiedit", "write", "apply_patch", "patch", "bash"])
const NOT_RUN =
  "Coeditor: nothing may be changed while its hook cannot be run. `coeditor doctor` finds what is wrong."

// The hook's answer; undefined where there is none.
function ask(event) {
  return new Promise((resolve) => {
    let out = ""
    let child
    const done = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    const timer = setTimeout(() => {
      if (child) child.kill()
      done()
    }, PATIENCE)
    try {
      child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
      child.on("error", () => done())
      child.stdin.on("error", () => {})
      child.stdout.on("data", (data) => (out += data))
      child.on("close", (status) => {
        try {
          done(status === 0 ? JSON.parse(out || "{}") : undefined)
        } catch {
          done()
        }
      })
      child.stdin.end(JSON.stringify(event))
    } catch {
      done()
    }
  })
}

export const Coeditor = async ({ directory }) => {
  const parents = new Map()
  const args = new Map()
  const root = (session) => (parents.has(session) ? root(parents.get(session)) : session)
  const of = (session) => ({ session, root: root(session), directory })
  const call = (name, input, given) =>
    ask({ opencode: name, ...of(input.sessionID), tool: input.tool, call: input.callID, args: given })

  return {
    event: async ({ event }) => {
      const info = event.properties?.info
      if (event.type === "session.created" && info) {
        if (info.parentID) parents.set(info.id, info.parentID)
        await ask({ opencode: info.parentID ? "subagent.started" : "session.created", ...of(info.id) })
      } else if (event.type === "session.compacted") {
        await ask({ opencode: "session.compacted", ...of(event.properties.sessionID) })
      } else if (event.type === "session.deleted" && info) {
        const name = parents.has(info.id) ? "subagent.ended" : "session.deleted"
        await ask({ opencode: name, ...of(info.id) })
      }
    },
    "tool.execute.before": async (input, output) => {
      args.set(input.callID, output.args)
      const answer = await call("before", input, output.args)
      const deny = answer ? answer.deny : CLOSED && CHANGING.has(input.tool) && NOT_RUN
      if (deny) {
        args.delete(input.callID)
        throw new Error(deny)
      }
    },
    "tool.execute.after": async (input, output) => {
      const given = args.get(input.callID) ?? input.args
      args.delete(input.callID)
      const answer = await call("after", input, given)
      if (answer?.context && typeof output.output === "string") output.output += "\n\n" + answer.context
    },
  }
}
