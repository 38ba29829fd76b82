"""Faults that are put into a made-up session, each with the record whose line must be named."""

import copy
from collections.abc import Callable

from patient import Fault, Patient
from sessions import Record

SURROGATE_SLOT = "@@SUR@@"  # becomes the escape of half an emoji when the bytes are written

Injection = Callable[[Patient], Fault | None]  # None: not this way; another choice may do


def inject(patient: Patient, kind: str) -> Fault | None:
    for _ in range(40):
        fault = _INJECTIONS[kind](patient)
        if fault:
            fault.kind = kind
            patient.touched.add(fault.record)
            if fault.record.call:
                patient.calls.add(fault.record.call)
            return fault
    return None


def _in_message(patient: Patient) -> Fault | None:
    record = patient.choose("message")
    return Fault("", record, record.fields.get("uuid")) if record else None


def _in_last(patient: Patient) -> Fault | None:
    record = patient.records[-1]
    return None if record in patient.touched else Fault("", record, record.fields.get("uuid"))


def _last_unnumbered(patient: Patient) -> Fault | None:
    record = patient.records[-1]
    return None if record in patient.touched else Fault("", record)


def _orphan_call(patient: Patient) -> Fault | None:
    result = patient.choose("result")
    if not result:
        return None
    patient.records.remove(result)
    patient.bridge(result)
    return Fault("", patient.partner(result), result.call)


def _orphan_result(patient: Patient) -> Fault | None:
    call = patient.choose("call")
    if not call:
        return None
    patient.records.remove(call)
    patient.bridge(call)
    return Fault("", patient.partner(call), call.call)


def _id_mismatch(patient: Patient) -> Fault | None:
    result = patient.choose("result")
    if not result or not result.call:
        return None
    patient.tool.give_call(result.fields, result.call[:8] + "Z" * (len(result.call) - 8))
    patient.touched.add(patient.partner(result))
    return Fault("", result, result.call)


def _dup_result(patient: Patient) -> Fault | None:
    result = patient.choose("result")
    if not result:
        return None
    again = Record(copy.deepcopy(result.fields), "other", result.call)
    if "uuid" in again.fields:
        again.fields["uuid"] = patient.inventor.uuid()
    patient.records.insert(patient.records.index(result) + 1, again)
    patient.touched.add(result)
    return Fault("", again, result.call)


def _dup_record(patient: Patient) -> Fault | None:
    message = patient.choose("message")
    if not message:
        return None
    again = Record(copy.deepcopy(message.fields), "other")
    patient.records.insert(patient.records.index(message) + 1, again)
    patient.touched.add(message)
    return Fault("", again, message.fields.get("uuid"))


def _result_before_call(patient: Patient) -> Fault | None:
    result = patient.choose("result")
    if not result:
        return None
    call = patient.partner(result)
    patient.records.remove(result)
    patient.records.insert(patient.records.index(call), result)
    patient.touched.add(call)
    return Fault("", result, result.call)


def _lone_surrogate(patient: Patient) -> Fault | None:
    result = patient.choose("result")
    if not result:
        return None
    patient.tool.give_output(result.fields, SURROGATE_SLOT)
    return Fault("", result, result.call)


def _missing_parent(patient: Patient) -> Fault | None:
    message = patient.choose("message")
    if not message:
        return None
    message.fields["parentUuid"] = patient.inventor.uuid()
    return Fault("", message, message.fields["uuid"])


def _parent_cycle(patient: Patient) -> Fault | None:
    """Hangs an ancestor off its own descendant, up to four steps below."""
    descendant = patient.choose("message")
    if not descendant:
        return None
    lines = {r.fields["uuid"]: n for n, r in enumerate(patient.records) if r.fields.get("uuid")}
    round_trip = [descendant]
    for _ in range(4):
        parent = lines.get(round_trip[-1].fields.get("parentUuid"))
        if parent is not None and parent > 1:
            round_trip.append(patient.records[parent])
    ancestor = round_trip[-1]
    if ancestor is descendant or not patient.touched.isdisjoint(round_trip):
        return None
    ancestor.fields["parentUuid"] = descendant.fields["uuid"]
    patient.touched.update(round_trip)
    return Fault("", ancestor, ancestor.fields["uuid"])


def _dup_uuid_conflict(patient: Patient) -> Fault | None:
    first = patient.choose("message")
    if not first:
        return None
    messages = patient.candidates("message")
    later = messages[messages.index(first) + 1 :]
    if not later:
        return None
    second = patient.random.choice(later)
    old, uuid = second.fields["uuid"], first.fields["uuid"]
    second.fields["uuid"] = uuid
    for record in patient.records:
        if record.fields.get("parentUuid") == old:
            record.fields["parentUuid"] = uuid
    patient.touched.add(first)
    return Fault("", second, uuid)


def _meta_missing(patient: Patient) -> Fault | None:
    del patient.records[0]
    return Fault("", patient.records[0])


def _function_call(patient: Patient) -> Record | None:
    calls = [
        call
        for call in patient.candidates("call")
        if call.fields["payload"]["type"] == "function_call"
    ]
    return patient.random.choice(calls) if calls else None


def _nul_tool_name(patient: Patient) -> Fault | None:
    call = _function_call(patient)
    if not call:
        return None
    call.fields["payload"]["name"] = "exec\0\0command"
    return Fault("", call, call.call)


def _bad_args(patient: Patient) -> Fault | None:
    call = _function_call(patient)
    if not call:
        return None
    call.fields["payload"]["arguments"] = '{"cmd": "cut off her'
    return Fault("", call, call.call)


_INJECTIONS: dict[str, Injection] = {
    "torn_tail": _in_last,
    "malformed_mid": _in_message,
    "glued": _in_message,
    "nul_run": _in_message,
    "bad_utf8": _in_message,
    "orphan_call": _orphan_call,
    "orphan_result": _orphan_result,
    "dup_result": _dup_result,
    "dup_record": _dup_record,
    "result_before_call": _result_before_call,
    "id_mismatch": _id_mismatch,
    "lone_surrogate": _lone_surrogate,
    "missing_parent": _missing_parent,
    "parent_cycle": _parent_cycle,
    "dup_uuid_conflict": _dup_uuid_conflict,
    "meta_missing": _meta_missing,
    "nul_tool_name": _nul_tool_name,
    "bad_args": _bad_args,
    "ord_gap": _in_message,
    "ord_dup": _in_message,
    "ord_missing_tail": _last_unnumbered,
    "ord_swap": _in_message,
}
