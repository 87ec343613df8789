-- workspace/applyEdit, ours: check every document, apply, verify, save, in one step between two keys of the person.
-- Never: a part of it, a document that is not open, or a question.

local api = vim.api
local disk = require("coeditor.disk")
local documents = require("coeditor.documents")
local edits = require("coeditor.edits")
local marks = require("coeditor.marks")
local state = require("coeditor.state")
local text_of = require("coeditor.text")
local undo = require("coeditor.undo")

local M = {}

---@class coeditor.Job
---@field document coeditor.Document
---@field plan coeditor.Plan
---@field saves boolean

---@return string? why
---@return string? hash
---@return coeditor.Job?
local function prepare(client, change, wanted)
  local document = documents.find(change.textDocument.uri)
  if not document or not api.nvim_buf_is_loaded(document.bufnr) then
    return "closed"
  end
  local bufnr = document.bufnr
  if vim.bo[bufnr].readonly or not vim.bo[bufnr].modifiable then
    return "readonly"
  end
  local text, odd = documents.text(document)
  local hash = documents.hash(document)
  if hash ~= wanted.before then
    return "changed", hash
  end
  local ok, plan = pcall(edits.plan, bufnr, text, odd, change.edits, client.offset_encoding)
  if not ok then
    return "failed", hash
  end
  plan.hash = text_of.hash(plan.after)
  if plan.hash ~= wanted.after then
    return "failed", hash
  end
  local saves = wanted.save == "always" or (wanted.save == "when-clean" and not vim.bo[bufnr].modified)
  saves = saves and not document.version
  if saves and disk.has_moved(document, text) then
    if vim.bo[bufnr].modified then
      return nil, nil, { document = document, plan = plan, saves = false }
    end
    vim.schedule(function()
      disk.reload(bufnr)
    end)
    return "changed", hash
  end
  return nil, nil, { document = document, plan = plan, saves = saves }
end

---@param document coeditor.Document
---@param plan coeditor.Plan
local function change(document, plan)
  local bufnr = document.bufnr
  local kept = marks.keep(bufnr, plan.operations)
  for _, one in ipairs(plan.operations) do
    if one.column then
      api.nvim_buf_set_text(bufnr, one.row, one.column, one.end_row, one.end_column, one.lines)
    else
      api.nvim_buf_set_lines(bufnr, one.row, one.end_row, true, one.lines)
    end
  end
  if plan.empties then
    api.nvim_buf_set_lines(bufnr, 0, -1, true, {})
  end
  if vim.bo[bufnr].endofline ~= plan.endofline then
    if #plan.operations == 0 then
      -- The same line again, so that there is something to undo.
      api.nvim_buf_set_lines(bufnr, -2, -1, true, api.nvim_buf_get_lines(bufnr, -2, -1, true))
    end
    vim.bo[bufnr].endofline = plan.endofline
  end
  marks.restore(bufnr, kept)
  assert(documents.read(document) == plan.after, "the buffer does not hold what was asked for")
  document.known.hash = plan.hash
end

--- Make all changes, or none.
---@param jobs coeditor.Job[]
---@return boolean, any
local function change_all(jobs)
  for index, job in ipairs(jobs) do
    local bufnr = job.document.bufnr
    local before = undo.open(bufnr)
    local ok, problem = pcall(change, job.document, job.plan)
    if not ok then
      undo.back(bufnr, before, job.plan.before)
      for done = index - 1, 1, -1 do
        undo.back(jobs[done].document.bufnr, jobs[done].before, jobs[done].plan.before)
      end
      return false, problem
    end
    job.before = before
  end
  return true
end

---@param job coeditor.Job
local function finish(job)
  local document = job.document
  local bufnr = document.bufnr
  local saved, reason = false, nil
  if job.saves then
    saved, reason = disk.write(document)
  end
  if not api.nvim_buf_is_loaded(bufnr) then
    return { uri = document.uri, version = 0, hash = "", dirty = true, saved = false, formatted = false }
  end
  undo.close(bufnr)
  undo.remember(document, job)
  state.report(document, true)
  local text = documents.text(document)
  return {
    uri = document.uri,
    version = documents.version(document),
    hash = documents.hash(document),
    dirty = vim.bo[bufnr].modified,
    saved = saved,
    formatted = text ~= job.plan.after,
    reason = reason,
  }
end

local function refusal(refused)
  for _, one in ipairs(refused) do
    local document = documents.find(one.uri)
    if document then
      state.report(document, true)
    end
  end
  return {
    applied = false,
    failureReason = "Coeditor: " .. refused[1].why,
    coeditor = { refused = refused },
  }
end

--- Milliseconds since the epoch.
---@return integer
function M.now()
  local seconds, microseconds = vim.uv.gettimeofday()
  return seconds * 1000 + math.floor(microseconds / 1000)
end

--- The handler. A prompt may have held it back until nobody waits for it any more. What does not come from our server's own walk is Neovim's.
function M.handle(problem, params, context)
  local ours = params.coeditor
  if not ours then
    return vim.lsp.handlers["workspace/applyEdit"](problem, params, context)
  end
  local client = assert(vim.lsp.get_client_by_id(context.client_id))
  local wanted, refused, jobs = {}, {}, {}
  local is_late = type(ours.expires) == "number" and M.now() > ours.expires
  for _, document in ipairs(ours.documents) do
    wanted[document.uri] = document
  end
  for _, one in ipairs(params.edit.documentChanges) do
    local uri = one.textDocument.uri
    local why, hash, job = "expired", nil, nil
    if not is_late then
      why, hash, job = prepare(client, one, wanted[uri])
    end
    if why then
      refused[#refused + 1] = { uri = uri, why = why, hash = hash }
    else
      jobs[#jobs + 1] = job
    end
  end
  if #refused > 0 then
    return refusal(refused)
  end
  for _, job in ipairs(jobs) do
    if job.saves then
      disk.settle(job.document)
    end
  end
  local ok = change_all(jobs)
  if not ok then
    return refusal(vim.tbl_map(function(job)
      return { uri = job.document.uri, why = "failed" }
    end, jobs))
  end
  return { applied = true, coeditor = { documents = vim.tbl_map(finish, jobs) } }
end

return M
