CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.answer_webhooks (
    request_id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    failures integer NOT NULL,
    failure character varying(64) NOT NULL,
    next_at timestamp without time zone,
    ended_at timestamp without time zone,
    secrets text
);
CREATE TABLE public.audit (
    id integer NOT NULL,
    at timestamp without time zone NOT NULL,
    user_id character varying(255) NOT NULL,
    way character varying(32) NOT NULL,
    address character varying(255) NOT NULL,
    action character varying(32) NOT NULL,
    object character varying(255) NOT NULL,
    outcome character varying(32) NOT NULL,
    credential character varying(80) DEFAULT ''::character varying NOT NULL,
    details json
);
CREATE SEQUENCE public.audit_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.audit_id_seq OWNED BY public.audit.id;
CREATE TABLE public.browser_sessions (
    session_hash character varying(64) NOT NULL,
    user_id character varying(255) NOT NULL,
    expires_at timestamp without time zone NOT NULL,
    way character varying(32) DEFAULT 'local'::character varying NOT NULL,
    idle_seconds integer,
    idle_at timestamp without time zone,
    provider_session character varying(255),
    created_at timestamp without time zone,
    used_at timestamp without time zone,
    user_agent character varying(255),
    address character varying(255)
);
CREATE TABLE public.call_logs (
    call_id character varying(32) NOT NULL COLLATE pg_catalog."C",
    user_id character varying(255) NOT NULL,
    entries json NOT NULL,
    omitted integer NOT NULL
);
CREATE TABLE public.calls (
    id character varying(32) NOT NULL COLLATE pg_catalog."C",
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    server_label text NOT NULL,
    kind character varying(16) NOT NULL,
    name text NOT NULL,
    arguments json,
    state character varying(16) NOT NULL,
    round integer NOT NULL,
    progress json,
    result json,
    error json,
    created_at timestamp without time zone NOT NULL,
    updated_at timestamp without time zone NOT NULL,
    checkpoint json,
    via character varying(16) DEFAULT 'page'::character varying NOT NULL,
    retry_of character varying(32),
    search_text text DEFAULT ''::text NOT NULL,
    withheld json,
    secrets json,
    erased_at timestamp without time zone,
    may_wait boolean DEFAULT false NOT NULL,
    owner character varying(255),
    generation integer,
    tool_failed boolean DEFAULT false NOT NULL,
    values_text text DEFAULT ''::text NOT NULL,
    task json,
    size integer DEFAULT 0 NOT NULL,
    result_size integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.drafts (
    user_id character varying(255) NOT NULL,
    request_id character varying(32) NOT NULL COLLATE pg_catalog."C",
    texts json NOT NULL,
    updated_at timestamp without time zone NOT NULL,
    prefilled boolean DEFAULT false NOT NULL
);
CREATE TABLE public.embed_sessions (
    session_hash character varying(64) NOT NULL,
    user_id character varying(255) NOT NULL,
    embedder character varying(64) NOT NULL,
    subject character varying(255) NOT NULL,
    host_session character varying(255),
    origin text NOT NULL,
    scopes json NOT NULL,
    ends_at timestamp without time zone NOT NULL,
    created_at timestamp without time zone,
    used_at timestamp without time zone,
    user_agent character varying(255),
    address character varying(255)
);
CREATE TABLE public.ended_embed_sessions (
    session_hash character varying(64) NOT NULL,
    user_id character varying(255) NOT NULL,
    embedder character varying(64) NOT NULL,
    forgotten_at timestamp without time zone NOT NULL
);
CREATE TABLE public.grants (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    issuer text NOT NULL,
    resource text,
    requested json NOT NULL,
    scopes json NOT NULL,
    expires_at timestamp without time zone,
    version integer NOT NULL,
    lease_until timestamp without time zone,
    secrets text NOT NULL
);
CREATE TABLE public.muted_programs (
    user_id character varying(255) NOT NULL,
    asker_id character varying(64) NOT NULL,
    label text NOT NULL,
    muted_at timestamp without time zone NOT NULL
);
CREATE TABLE public.nodes (
    id character varying(255) NOT NULL,
    generation integer NOT NULL,
    started_at timestamp without time zone NOT NULL
);
CREATE TABLE public.notice_settings (
    user_id character varying(255) NOT NULL,
    wait_seconds integer NOT NULL,
    quiet json,
    last_at timestamp without time zone,
    last_id character varying(32) NOT NULL,
    unheeded integer NOT NULL,
    secrets text NOT NULL
);
CREATE TABLE public.notice_targets (
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    kind character varying(16) NOT NULL,
    label text NOT NULL,
    language character varying(16) NOT NULL,
    created_at timestamp without time zone NOT NULL,
    failing_since timestamp without time zone,
    failure character varying(64) NOT NULL,
    disabled_at timestamp without time zone,
    secrets text NOT NULL
);
CREATE TABLE public.notices (
    target_id character varying(32) NOT NULL,
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    failures integer NOT NULL,
    next_at timestamp without time zone NOT NULL
);
CREATE TABLE public.pending_sign_ins (
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    issuer text NOT NULL,
    scopes json NOT NULL,
    new_scopes json NOT NULL,
    state_hash character varying(64) NOT NULL,
    nonce_hash character varying(64),
    created_at timestamp without time zone NOT NULL,
    expires_at timestamp without time zone NOT NULL,
    used_at timestamp without time zone,
    secrets text NOT NULL
);
CREATE TABLE public.program_tokens (
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    token_hash character varying(64) NOT NULL,
    label text NOT NULL,
    scopes json NOT NULL,
    hint character varying(16) NOT NULL,
    created_at timestamp without time zone NOT NULL,
    used_at timestamp without time zone,
    revoked_at timestamp without time zone,
    muted_at timestamp without time zone,
    may_ask json
);
CREATE TABLE public.registrations (
    user_id character varying(255) NOT NULL,
    digest character varying(64) NOT NULL,
    issuer text NOT NULL,
    redirect_uri text NOT NULL,
    secrets text NOT NULL
);
CREATE TABLE public.requests (
    id character varying(32) NOT NULL COLLATE pg_catalog."C",
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    call_id character varying(32) COLLATE pg_catalog."C",
    kind character varying(16) NOT NULL,
    params json,
    asked_by json,
    during json,
    round integer,
    "position" integer NOT NULL,
    total integer NOT NULL,
    state character varying(16) NOT NULL,
    content json,
    expires_at timestamp without time zone,
    created_at timestamp without time zone NOT NULL,
    settled_at timestamp without time zone,
    count integer DEFAULT 1 NOT NULL,
    via character varying(16),
    delivery character varying(16),
    came character varying(16) DEFAULT 'pushed'::character varying NOT NULL,
    opened_at timestamp without time zone,
    digest character varying(64),
    search_text text DEFAULT ''::text NOT NULL,
    withheld json,
    secrets json,
    erased_at timestamp without time zone,
    ended_via character varying(16),
    possible_calls json,
    reason_code character varying(64),
    reason_params json,
    reason_search_text text,
    owner character varying(255),
    generation integer,
    decided character varying(16),
    undo_until timestamp without time zone,
    values_text text DEFAULT ''::text NOT NULL,
    sampling json,
    task_id text,
    wire_id json,
    hosted_task_id character varying(64),
    noticed_at timestamp without time zone,
    excerpt text DEFAULT ''::text NOT NULL,
    call_name text,
    parts integer DEFAULT 0 NOT NULL,
    size integer DEFAULT 0 NOT NULL,
    other_size integer DEFAULT 0 NOT NULL,
    decline_message text
);
CREATE TABLE public.sampling_spent (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    day character varying(10) NOT NULL,
    requests integer NOT NULL,
    tokens integer NOT NULL,
    costs json NOT NULL
);
CREATE TABLE public.saved_sessions (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    secrets text NOT NULL
);
CREATE TABLE public.servers (
    id character varying(32) NOT NULL,
    user_id character varying(255) NOT NULL,
    name text,
    label text NOT NULL,
    transport json NOT NULL,
    era character varying(16) NOT NULL,
    created_at timestamp without time zone NOT NULL,
    modes json DEFAULT '["form", "url"]'::json NOT NULL,
    muted_at timestamp without time zone,
    learned json DEFAULT '{}'::json NOT NULL,
    oauth json DEFAULT '{}'::json NOT NULL,
    secrets text,
    sampling json DEFAULT '{}'::json NOT NULL,
    roots json,
    log_level character varying(16) DEFAULT 'debug'::character varying NOT NULL,
    followed json DEFAULT '[]'::json NOT NULL,
    reconnects boolean DEFAULT true NOT NULL
);
CREATE TABLE public.step_ups (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    scope_digest character varying(64) NOT NULL,
    count integer NOT NULL,
    last_at timestamp without time zone NOT NULL
);
CREATE TABLE public.task_choices (
    user_id character varying(255) NOT NULL,
    server_id character varying(32) NOT NULL,
    tool_digest character varying(64) NOT NULL
);
CREATE TABLE public.used_tokens (
    digest character varying(64) NOT NULL,
    expires_at timestamp without time zone NOT NULL
);
CREATE TABLE public.users (
    id character varying(255) NOT NULL,
    issuer character varying(255) NOT NULL,
    subject character varying(255) NOT NULL,
    name text NOT NULL,
    email text NOT NULL,
    role character varying(16) NOT NULL,
    created_at timestamp without time zone NOT NULL,
    seen_at timestamp without time zone NOT NULL,
    disabled_at timestamp without time zone,
    signed_in_at timestamp without time zone,
    erasing_at timestamp without time zone
);
ALTER TABLE ONLY public.audit ALTER COLUMN id SET DEFAULT nextval('public.audit_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0100');
INSERT INTO public.answer_webhooks VALUES ('Ggj75XS88AzENCIz', 'ada', 0, '', NULL, NULL, 'k1.JiQtrb8fvb7M014bo10bd6kgapULCY4br-rBd1oI8ESHmZWAD5u6eXbpIGBFqJLVwldY7vWyeDe9h5uFzi9qf6sVEaL_llI=');
INSERT INTO public.audit VALUES (1, '2026-11-24 18:52:18.036904', '', 'oidc', '192.0.2.7', 'server_added', 'BU3GXw72QT2KllOd', '', '', '{"label": "travel", "address": "http://127.0.0.1/mcp"}');
INSERT INTO public.audit VALUES (2, '2026-11-24 18:52:18.146443', '', 'oidc', '192.0.2.7', 'answered', 'declined', 'declined', '', NULL);
INSERT INTO public.audit VALUES (3, '2026-11-24 18:52:18.165145', '', 'oidc', '192.0.2.7', 'answered', 'saved', 'accepted', '', NULL);
INSERT INTO public.audit VALUES (4, '2026-11-24 18:52:18.187475', '', 'oidc', '192.0.2.7', 'server_signed_in', 'BU3GXw72QT2KllOd', '', '', '{"issuer": "https://as.example", "scopes": ["read"]}');
INSERT INTO public.audit VALUES (5, '2026-11-24 18:52:18.226314', '', 'oidc', '192.0.2.7', 'notice_target_added', 't1', '', '', '{"kind": "webhook", "label": "bot"}');
INSERT INTO public.audit VALUES (6, '2026-11-24 18:52:18.243914', '', 'oidc', '192.0.2.7', 'token_made', 'Y8CVVp76V3Cr51u4', '', '', '{"label": "Agent", "scopes": ["ask"], "user": "ada"}');
INSERT INTO public.audit VALUES (7, '2026-11-24 18:52:18.259674', '', 'oidc', '192.0.2.7', 'program_muted', 'BU3GXw72QT2KllOd', '', '', '{"label": "travel"}');
INSERT INTO public.audit VALUES (8, '2026-11-24 18:52:18.277406', '', 'oidc', '192.0.2.7', 'server_added', 'guarded', '', '', '{"label": "travel", "address": "https://\u2022\u2022\u2022@mcp.example/mcp?key=\u2022\u2022\u2022", "headers": ["Authorization", "X-Tenant"]}');
INSERT INTO public.audit VALUES (9, '2026-11-24 18:52:18.333334', 'CZiV2cBu48bpmNiV', 'oidc', '192.0.2.7', 'first_seen', 'CZiV2cBu48bpmNiV', '', '', NULL);
INSERT INTO public.audit VALUES (10, '2026-11-24 18:52:18.348463', 'eyKfeMcYN3NFf1WW', 'oidc', '192.0.2.7', 'first_seen', 'eyKfeMcYN3NFf1WW', '', '', NULL);
INSERT INTO public.audit VALUES (11, '2026-11-24 18:52:18.374051', '', 'oidc', '192.0.2.7', 'user_disabled', 'eyKfeMcYN3NFf1WW', '', '', NULL);
INSERT INTO public.audit VALUES (12, '2026-11-24 18:52:18.380643', 'CZiV2cBu48bpmNiV', 'oidc', '192.0.2.7', 'signed_in', 'CZiV2cBu48bpmNiV', '', '', NULL);
INSERT INTO public.audit VALUES (13, '2026-11-24 18:52:18.382231', '', 'oidc', '192.0.2.7', 'signed_in', '', '', '', NULL);
INSERT INTO public.audit VALUES (14, '2026-11-24 18:52:18.387581', '', 'oidc', '192.0.2.7', 'sign_in_refused', '3', 'refused', '', NULL);
INSERT INTO public.audit VALUES (15, '2026-11-24 18:52:18.420741', 'CZiV2cBu48bpmNiV', 'oidc', '192.0.2.7', 'embed_session_begun', 'chat', '', '', NULL);
INSERT INTO public.audit VALUES (16, '2026-11-24 18:52:18.439621', 'CZiV2cBu48bpmNiV', 'oidc', '192.0.2.7', 'embed_session_begun', 'chat', '', '', NULL);
INSERT INTO public.audit VALUES (17, '2026-11-24 18:52:18.466347', '', 'oidc', '192.0.2.7', 'embed_sessions_ended', 'chat', '1', '', NULL);
INSERT INTO public.browser_sessions VALUES ('7d5b415b8944b76b7c886844dabd54492e423c4eb5756b0d2e516c260d8c5e9d', 'CZiV2cBu48bpmNiV', '2126-10-31 18:52:18.376718', 'oidc', 86400, '2026-11-25 18:52:18.376943', 'p-1', '2026-11-24 18:52:18.376934', '2026-11-24 18:52:18.376935', '', '');
INSERT INTO public.call_logs VALUES ('2pIheLowDBE8EMgt', 'ada', '[{"at": "2026-11-24T18:52:11.935351+00:00", "level": "info", "logger": "", "text": "booked", "shared": false}]', 0);
INSERT INTO public.calls VALUES ('2pIheLowDBE8EMgt', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'running', 0, NULL, NULL, NULL, '2026-11-24 18:52:11.934839', '2026-11-24 18:52:11.93484', NULL, 'api', NULL, 'travel
book', '["token"]', '"k1.uDn8EE5TCHF7P19Ig3UA2odCG_5gP9l1jdOmYqMzZHiaZDW6C7-RYWL_"', NULL, false, 'local', 1, false, '
', NULL, 22, 4);
INSERT INTO public.calls VALUES ('ended', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'done', 0, NULL, '{"content": []}', NULL, '2026-11-24 18:52:11.934839', '2026-11-24 18:52:11.93484', NULL, 'api', NULL, 'travel
book', '["token"]', '"k1.9puiuByj_XW5_Rh1GT_amJ8naWRFU0XsTZ29s-mf7NXdqBClasggfW3V"', NULL, false, 'local', 1, false, '
', NULL, 22, 21);
INSERT INTO public.calls VALUES ('waits-round', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'input_required', 2, NULL, NULL, NULL, '2026-11-24 18:52:11.934839', '2026-11-24 18:52:18.280206', '{"version": 1, "kind": "round", "round": 1, "requests": {"k": "asked"}, "state": "s", "unanswered_before": 0}', 'api', NULL, 'travel
book', '["token"]', '"k1.JTGvoqFq3jtVFWOJuPpx67uN5NsvJM2jlr3cLW_GD9_fCu32tzrfjZHS"', NULL, false, 'local', 1, false, '
', NULL, 22, 4);
INSERT INTO public.calls VALUES ('waits-links', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'input_required', 2, NULL, NULL, NULL, '2026-11-24 18:52:11.934839', '2026-11-24 18:52:18.283129', '{"version": 1, "kind": "links", "round": 2, "requests": {"e1": "link"}, "error": {"code": -32042}, "answers": {"k": {}}, "state": null, "unanswered_before": 0}', 'api', NULL, 'travel
book', '["token"]', '"k1.0UV6cnH3y0iS7Li5o_RbRpACQhWzWZ9mHxoqOr3ZD6IEnLhYEz-bzCQ5"', NULL, false, 'local', 1, false, '
', NULL, 22, 4);
INSERT INTO public.calls VALUES ('waits-unsent', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'input_required', 2, NULL, NULL, NULL, '2026-11-24 18:52:11.934839', '2026-11-24 18:52:18.285279', '{"version": 1, "kind": "unsent", "as_task": true}', 'api', NULL, 'travel
book', '["token"]', '"k1.e0UGWV-_FxjiJwz1cHsTe8ZedoWKzif2pNWuu43avvZFUzMlu1jJgA3u"', NULL, false, 'local', 1, false, '
', NULL, 22, 4);
INSERT INTO public.calls VALUES ('waits-task', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'input_required', 2, NULL, NULL, NULL, '2026-11-24 18:52:11.934839', '2026-11-24 18:52:18.2872', '{"version": 1, "kind": "task", "generation": "2025-11-25", "task_id": "t-9", "round": 0, "requests": {}, "progress_token": 7}', 'api', NULL, 'travel
book', '["token"]', '"k1.OcwfjVjNXdBcVC8i54sQYUR4TWkIXizQnXXhlQalc8CCUqUST1rUqixO"', NULL, false, 'local', 1, false, '
', NULL, 22, 4);
INSERT INTO public.calls VALUES ('is-done', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'done', 0, NULL, '{"content": [{"type": "text", "text": "booked"}], "isError": true}', NULL, '2026-11-24 18:52:11.934839', '2026-11-24 18:52:18.289654', NULL, 'api', NULL, 'travel
book', '["token"]', NULL, NULL, false, 'local', 1, true, '
booked', '{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T18:52:18.289573+00:00"}', 22, 84);
INSERT INTO public.calls VALUES ('is-failed', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'failed', 0, NULL, NULL, '{"code": -32603, "message": "disk on fire", "data": [1, null], "reconnect_with": "2025-11-25", "reason_code": "server_time_limit", "reason_params": {"label": "Zo\u00eb''s kettle", "duration": 90}}', '2026-11-24 18:52:11.934839', '2026-11-24 18:52:18.293593', NULL, 'api', NULL, 'travel
book
zoë''s kettle
1 min 30 s', '["token"]', NULL, NULL, false, 'local', 1, false, '
', '{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T18:52:18.293538+00:00"}', 22, 4);
INSERT INTO public.calls VALUES ('is-cancelled', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'cancelled', 0, NULL, NULL, '{"reason_code": "call_cancelled"}', '2026-11-24 18:52:11.934839', '2026-11-24 18:52:18.296699', NULL, 'api', NULL, 'travel
book
', '["token"]', NULL, NULL, false, 'local', 1, false, '
', '{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T18:52:18.296647+00:00"}', 22, 4);
INSERT INTO public.calls VALUES ('is-interrupted', 'ada', 'BU3GXw72QT2KllOd', 'travel', 'tool', 'book', '{"token": null}', 'interrupted', 0, NULL, NULL, '{"reason_code": "connection_lost"}', '2026-11-24 18:52:11.934839', '2026-11-24 18:52:18.299118', NULL, 'api', NULL, 'travel
book
', '["token"]', NULL, NULL, false, 'local', 1, false, '
', '{"id": "t-8", "status": "working", "status_message": null, "created_at": null, "updated_at": null, "ttl": null, "poll_interval": null, "received_at": "2026-11-24T18:52:18.298976+00:00"}', 22, 4);
INSERT INTO public.drafts VALUES ('ada', 'Ggj75XS88AzENCIz', '{"f0": ["typed"]}', '2026-11-24 18:52:18.089541', true);
INSERT INTO public.drafts VALUES ('ada', 'declined', '{"f0": ["typed"]}', '2026-11-24 18:52:18.10057', true);
INSERT INTO public.drafts VALUES ('ada', 'asked', '{"f0": ["typed"]}', '2026-11-24 18:52:18.109395', true);
INSERT INTO public.drafts VALUES ('ada', 'expired', '{"f0": ["typed"]}', '2026-11-24 18:52:18.123708', false);
INSERT INTO public.embed_sessions VALUES ('75b2b3b2ebd916240d4bcedf48462e34d820947ce78b6cdee9b5b36b4ad60239', 'CZiV2cBu48bpmNiV', 'chat', 'g', 'h-1', 'https://chat.example', '["read", "answer"]', '2126-10-31 18:52:18.390733', '2026-11-24 18:52:18.421272', '2026-11-24 18:52:18.421275', '', '');
INSERT INTO public.ended_embed_sessions VALUES ('87c6b7de445e8740a756381af175a6f1244781bebea2158a9cc2e67faf37b5b9', 'CZiV2cBu48bpmNiV', 'chat', '2026-12-24 18:52:18.465166');
INSERT INTO public.grants VALUES ('ada', 'BU3GXw72QT2KllOd', 'https://as.example', 'http://127.0.0.1/mcp', '["read", "write"]', '["read"]', '2026-11-24 19:52:11.935291', 1, NULL, 'k1.bnOBkjji81irIJZi9k1roeRMH5eP_UnV7R9v1-OG8AGHH47oQIVjvT5hysEzWDi9SDtOosvT1z4KQTtXgzuV');
INSERT INTO public.muted_programs VALUES ('ada', 'BU3GXw72QT2KllOd', 'travel', '2026-11-24 18:52:18.258316');
INSERT INTO public.nodes VALUES ('local', 1, '2026-11-24 18:52:17.996153');
INSERT INTO public.notice_settings VALUES ('ada', 10, NULL, '2026-11-24 18:52:11.93533', 'sent', 1, 'k1.Bw18t-VlOo5pOCfeS_kTQm8GT2w-nrG6oikG3PFOWz1zxTtfosKpcsrr_PdUlWA_19YoZd39atOL4rDYDyv1HIpqUQT4sVo=');
INSERT INTO public.notice_targets VALUES ('t1', 'ada', 'webhook', 'bot', 'en', '2026-11-24 18:52:11.935328', NULL, '', NULL, 'k1.FOGmqTmuC16eg8kozb0_LQYlLDln6J3O1N8YqKyW1Fk-i4kXWEzFN9iVz4zrQ0X6G3rQoR0qzu4=');
INSERT INTO public.notices VALUES ('t1', 'n1', 'ada', 0, '2026-11-24 18:52:11.93533');
INSERT INTO public.pending_sign_ins VALUES ('FyZyvVdDfVrfI6es', 'ada', 'BU3GXw72QT2KllOd', 'https://as.example', '["read", "write"]', '["write"]', '0000000000000000000000000000000000000000000000000000000000000000', NULL, '2026-11-24 18:52:11.935288', '2026-11-24 19:52:11.935271', NULL, 'k1.YUw3F0ySBtpzmEgLopvyea2o1TKa9E0ZvYUJV0uI0Aary-c9K203BMUFSY5qpBtr5z0rnT0vqjqPNl4yIR5TUfK36YQ7OMSJfWc_j-xoNh6PiDYwbC-rw5wJrZIH3916zlkNf3i8_X-m5sR9KZM2OMFY0iytO5sO9E9qLaeZ2f0LeXFtw_sMGQMv8A==');
INSERT INTO public.program_tokens VALUES ('Y8CVVp76V3Cr51u4', 'ada', '8a8da5b1764b88a7edaa98f5316d9a8b5f34a2f257f5b19cce0224bccf954b6b', 'Agent', '["ask"]', 'cret', '2026-11-24 18:52:11.935349', NULL, NULL, NULL, NULL);
INSERT INTO public.registrations VALUES ('ada', 'ffc344c5518579361da04c7fd76c87be0d35f801975c8646a2043c0eb355ea7a', 'https://as.example', 'http://127.0.0.1:8765/oauth/callback', 'k1.xNvoA5ljhrbfoSoONGBWwuWa8XTW3x8JSPkmZ7yE_zZD647P3hedYB3Ae_VzQx4v0IO_GilwIEo8JeSByxEXOyrJ');
INSERT INTO public.requests VALUES ('Ggj75XS88AzENCIz', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, '2026-11-25 18:52:11.934864', '2026-11-24 18:52:11.934888', NULL, 1, NULL, NULL, 'pushed', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, '["2pIheLowDBE8EMgt"]', NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'née ☃', NULL, 0, 91, 8, NULL);
INSERT INTO public.requests VALUES ('asked', 'ada', 'BU3GXw72QT2KllOd', '2pIheLowDBE8EMgt', 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, NULL, '2026-11-24 18:52:11.935144', NULL, 1, NULL, NULL, 'round', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'née ☃', NULL, 0, 91, 8, NULL);
INSERT INTO public.requests VALUES ('link', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"url": "https://a.example", "elicitationId": "e1"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'waiting', NULL, NULL, '2026-11-24 18:52:11.935172', '2026-11-24 18:52:18.272652', 1, NULL, NULL, 'pushed', '2026-11-24 18:52:18.269546', '52dfbe3be6487ac145126773a10f5eedf3a72b0a63a8d90f690614989f3f0c1b', 'travel
', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, '', NULL, 0, 51, 8, NULL);
INSERT INTO public.requests VALUES ('expired', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'expired', NULL, NULL, '2026-11-24 18:52:11.935013', '2026-11-24 18:52:18.12715', 1, NULL, NULL, 'pushed', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'née ☃', NULL, 0, 91, 8, NULL);
INSERT INTO public.requests VALUES ('declined', 'ada', 'BU3GXw72QT2KllOd', 'ended', 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'declined', NULL, NULL, '2026-11-24 18:52:11.93505', '2026-11-24 18:52:18.137562', 1, 'page', NULL, 'pushed', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'née ☃', NULL, 0, 91, 8, NULL);
INSERT INTO public.requests VALUES ('saved', 'ada', 'BU3GXw72QT2KllOd', '2pIheLowDBE8EMgt', 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'accepted', '{"name": "Ada"}', NULL, '2026-11-24 18:52:11.935115', '2026-11-24 18:52:18.157426', 1, 'page', 'saved', 'round', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, 'name ada', NULL, NULL, NULL, NULL, NULL, 'née ☃', NULL, 0, 91, 31, NULL);
INSERT INTO public.requests VALUES ('hosted', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'accepted', '{"name": "Ada"}', NULL, '2026-11-24 18:52:11.935203', '2026-11-24 18:52:18.16633', 1, NULL, 'sending', 'hosted', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, 'name ada', NULL, NULL, NULL, 't-1', NULL, 'née ☃', NULL, 0, 91, 31, NULL);
INSERT INTO public.requests VALUES ('sent', 'ada', 'BU3GXw72QT2KllOd', '2pIheLowDBE8EMgt', 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'accepted', '{"name": null}', NULL, '2026-11-24 18:52:11.935083', '2026-11-24 18:52:18.1497', 1, NULL, 'sending', 'round', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '["name"]', '"k1.6mS0_meVebOOXj3sRYS2Qm2t3QA8h7v_c8qHenA4AR0pMKiURlth7wHQSA=="', NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, 'name', NULL, NULL, NULL, NULL, '2026-11-24 18:52:11.93533', 'née ☃', NULL, 0, 91, 31, NULL);
INSERT INTO public.requests VALUES ('other', 'ada', 'program-1', NULL, 'form', '{"message": "n\u00e9e \u2603", "requestedSchema": {"type": "object", "x-extra": [1, null]}}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, NULL, '2026-11-24 18:52:11.935241', NULL, 1, NULL, NULL, 'pushed', NULL, 'dbdc70fd062f80eae517b8ec1970b80999f01db470c14aa2e12ac168ccabb888', 'travel
née ☃', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'née ☃', NULL, 0, 91, 8, NULL);
INSERT INTO public.requests VALUES ('is-pending', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it pending?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, NULL, '2026-11-24 18:52:18.30059', NULL, 1, NULL, NULL, 'pushed', NULL, '574a5b54196b766b5d170627284a494aab2bc594622c37e5e977c9ee251a3981', 'travel
is it pending?', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'Is it pending?', NULL, 0, 29, 8, NULL);
INSERT INTO public.requests VALUES ('is-accepted', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it accepted?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'accepted', '{"name": "Ada"}', NULL, '2026-11-24 18:52:18.301675', '2026-11-24 18:52:18.302671', 1, NULL, 'delivered', 'pushed', NULL, 'f906d06ae59a60d0fd6860cbd2518aa48982d7f3d280958600c2b873cb221610', 'travel
is it accepted?', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, 'name ada', NULL, NULL, NULL, NULL, NULL, 'Is it accepted?', NULL, 0, 30, 31, NULL);
INSERT INTO public.requests VALUES ('is-declined', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it declined?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'declined', NULL, NULL, '2026-11-24 18:52:18.304556', '2026-11-24 18:52:18.305685', 1, NULL, NULL, 'pushed', NULL, 'a8541031d254baeddb05b491d6e773c5b0a6ce11cafefec215ca05ce820371ef', 'travel
is it declined?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'Is it declined?', NULL, 0, 30, 8, NULL);
INSERT INTO public.requests VALUES ('is-cancelled', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it cancelled?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'cancelled', NULL, NULL, '2026-11-24 18:52:18.307567', '2026-11-24 18:52:18.308651', 1, NULL, NULL, 'pushed', NULL, 'aa6a697c93ff74a29914802b52b6196a2123c356eaa4432d1c0ba5d4090bab85', 'travel
is it cancelled?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'Is it cancelled?', NULL, 0, 31, 8, NULL);
INSERT INTO public.requests VALUES ('is-withdrawn', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it withdrawn?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'withdrawn', NULL, NULL, '2026-11-24 18:52:18.310738', '2026-11-24 18:52:18.311727', 1, NULL, NULL, 'pushed', NULL, '6490e8317442e1a8aff0e2f2e37e16f06c5c514af324980c921eb64b754f7572', 'travel
is it withdrawn?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'Is it withdrawn?', NULL, 0, 31, 8, NULL);
INSERT INTO public.requests VALUES ('is-expired', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it expired?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'expired', NULL, NULL, '2026-11-24 18:52:18.31393', '2026-11-24 18:52:18.3149', 1, NULL, NULL, 'pushed', NULL, '79be4f2bfde15e1b16178d1883a02f08e29f7a7b3a6dc5288b82e7c85fc3333e', 'travel
is it expired?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'Is it expired?', NULL, 0, 29, 8, NULL);
INSERT INTO public.requests VALUES ('is-interrupted', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it interrupted?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'interrupted', NULL, NULL, '2026-11-24 18:52:18.316673', '2026-11-24 18:52:18.317617', 1, NULL, NULL, 'pushed', NULL, '3c15112a91d529c33f04062053531efa9103106167a351d2d10b52404616ab57', 'travel
is it interrupted?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'Is it interrupted?', NULL, 0, 33, 8, NULL);
INSERT INTO public.requests VALUES ('is-refused', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it refused?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'refused', NULL, NULL, '2026-11-24 18:52:18.319255', '2026-11-24 18:52:18.320295', 1, NULL, NULL, 'pushed', NULL, 'b150d492ad648f1f4646658d53a6a41232088d9ef5cf62dc9f3644edb827ce30', 'travel
is it refused?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'Is it refused?', NULL, 0, 29, 8, NULL);
INSERT INTO public.requests VALUES ('is-waiting', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it waiting?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'waiting', NULL, NULL, '2026-11-24 18:52:18.321919', '2026-11-24 18:52:18.324251', 1, NULL, NULL, 'pushed', NULL, '9857efd9d4cc219a4da57ad7749bc8accbe5bcd68be30a23debcd638cf115675', 'travel
is it waiting?', '[]', NULL, NULL, NULL, NULL, 'server_time_limit', '{"label": "Zo\u00eb''s kettle", "duration": 90}', 'zoë''s kettle
1 min 30 s', 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'Is it waiting?', NULL, 0, 29, 8, NULL);
INSERT INTO public.requests VALUES ('is-completed', 'ada', 'BU3GXw72QT2KllOd', NULL, 'form', '{"message": "Is it completed?"}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'completed', NULL, NULL, '2026-11-24 18:52:18.325651', '2026-11-24 18:52:18.328086', 1, NULL, NULL, 'pushed', '2026-11-24 18:52:18.326531', '87545864d1fa394c8b44f2cc92381ed8c6f1a53179c3d20797473907eb86fed9', 'travel
is it completed?', '[]', NULL, NULL, 'api', NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, 'Is it completed?', NULL, 0, 31, 8, NULL);
INSERT INTO public.requests VALUES ('sampled', 'ada', 'BU3GXw72QT2KllOd', NULL, 'sampling', '{"messages": [{"role": "user", "content": {"type": "text", "text": "Sum up."}}], "maxTokens": 9}', '{"kind": "server", "label": "travel", "address": "http://127.0.0.1/mcp", "claims": "Bank", "protocol_version": null, "token_id": null, "embedder": null, "made_by": null}', NULL, NULL, 1, 1, 'pending', NULL, NULL, '2026-11-24 18:52:18.329727', NULL, 1, NULL, NULL, 'pushed', NULL, '49da64501ca384208c8ce79f82bc6378dfb3013a6216420ba6060bd36a99484b', 'travel
sum up.', '[]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'local', 1, NULL, NULL, '', '{"stage": "reviewing", "conversation": "", "turn": 1, "seen": 0, "model": "m", "result": {"role": "assistant"}, "usage": {"input_tokens": 0, "output_tokens": 3, "cost": null, "currency": "", "is_estimate": false}, "by_rule": false, "approved": false, "approved_turns": 0}', NULL, NULL, NULL, NULL, 'Sum up.', NULL, 0, 96, 8, NULL);
INSERT INTO public.sampling_spent VALUES ('ada', 'BU3GXw72QT2KllOd', '2026-11-24', 1, 1, '{}');
INSERT INTO public.saved_sessions VALUES ('ada', 'BU3GXw72QT2KllOd', 'k1.HPHLfBd428abht9z2DrQJgmOG64yFoXPdJ8e2TssIvLz6FNFdI-7_aVfP_EG4cHywZoc3O2GwvKm5DkTUUsPHM5IW-XmZGgt-9v3uIk3lfeM_hDC44A-BJNFgQDRnZS069rI8QIrhDK7HvXUZiqMnaRBs9P4SEXOfg2vyGSShpkAIj-54mOmZEUKuFH9vv8ETWjbQDf8A3pn2_vrdybqVeUEyZWY1jEThXf95fOoGhksGuJKPNiasDf-4xCVkX-ml5_X1hFk-GO4NFS0xgGjPHY-IymD6jmd7JZuJc9UZaPhvx2y7TJy6ySZQJNHIlHN471bZbtkIHpZSOpsNOERvEpbTLN1_6dSoT3CJCzGRGCscZ1o79YkjdHDbPWSKhuR6ZTn');
INSERT INTO public.servers VALUES ('BU3GXw72QT2KllOd', 'ada', NULL, 'travel', '{"type": "http", "url": "http://127.0.0.1/mcp"}', 'auto', '2026-11-24 18:52:11.934814', '["form", "url", "sampling"]', NULL, '{}', '{}', NULL, '{}', NULL, 'debug', '[]', false);
INSERT INTO public.servers VALUES ('guarded', 'ada', NULL, 'travel', '{"type": "http", "url": "https://\u2022\u2022\u2022@mcp.example/mcp?key=\u2022\u2022\u2022", "headers": {"Authorization": null, "X-Tenant": null}, "env": {"TOKEN": null}}', 'auto', '2026-11-24 18:52:11.934814', '["form", "url", "sampling"]', NULL, '{}', '{"client_id": "our-client", "client_secret": null, "private_key": null, "idp_id_token": null}', 'k1.Fbe853LM_r8gn3BEcfzc53jKoN7I-B5fnY60ubOxwj1fLOWi31JNW-AANX6NsvZ7MeREByI5eUePpEiNPdk362V_7xv3k66iCvPLpsCg4rXhRIYAOya6hI2EFynkezlXx1JsGUIFyDaBDXiUWvbO_7VhE53zG9gwEzSZDcPRToYwVo3hrH4tCYpPzQiT0lgOrc19stYlzOMfdZaSWoSU7FIe10GVGahkGeCITeRYdUB2lct7u0sfsIfS_Pb0F9frgasqktvLaKzDgUC20dzeF3pcpLtOwteuepfyV0Vx3s6-9QFeUQssoV3cHq4cUc4i_32PBTFuciNYtrJc_l1xutu53A5cKYNlgjgdMuadNK5d9Wo2KI04hm6jZSwftfXCUI5fCZvdkWWPBnWozZ9NYfu4eV8HzRbF4dmW-S97TSkEsnlxcSlB5ioUaQL1OKjSKW4Kn6LA--yM2tGN-w==', '{}', NULL, 'debug', '[]', false);
INSERT INTO public.step_ups VALUES ('ada', 'BU3GXw72QT2KllOd', '10fd874b68dad080ed706762c8e163dabb20514bddae38fb159c56f714a3b143', 1, '2026-11-24 18:52:18.205022');
INSERT INTO public.task_choices VALUES ('ada', 'BU3GXw72QT2KllOd', '811f2a14b9850c9d9c7562f29228754bfabbd03407fb41f00994180bd9de98f2');
INSERT INTO public.used_tokens VALUES ('c60ce4446b4d01e0017df290f5d4a2f47bdca50f319fd9c34b2e0b94e66c7a08', '2126-10-31 18:52:18.390753');
INSERT INTO public.used_tokens VALUES ('683abe4cd4862400384cb3d97aa9b037275a3da05fa87eb9aff48aba434d286d', '2126-10-31 18:52:18.430244');
INSERT INTO public.used_tokens VALUES ('bc8c66a01dde17fa570725675cfdb078eb039f43feae3f98817fd77e872d20b3', '2126-10-31 18:52:18.474896');
INSERT INTO public.users VALUES ('local', 'local', 'local', '', '', 'admin', '2026-11-24 18:52:18.007585', '2026-11-24 18:52:18.007592', NULL, '2026-11-24 18:52:18.007593', NULL);
INSERT INTO public.users VALUES ('CZiV2cBu48bpmNiV', 'https://idp', 'g', 'Grace', '', 'admin', '2026-11-24 18:52:18.33242', '2026-11-24 18:52:18.332421', NULL, '2026-11-24 18:52:18.332384', NULL);
INSERT INTO public.users VALUES ('eyKfeMcYN3NFf1WW', 'https://idp', 'a', '', 'alan@corp.example', 'user', '2026-11-24 18:52:18.335905', '2026-11-24 18:52:18.335906', '2026-11-24 18:52:18.359213', '2026-11-24 18:52:18.335882', NULL);
SELECT pg_catalog.setval('public.audit_id_seq', 17, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.answer_webhooks
    ADD CONSTRAINT pk_answer_webhooks PRIMARY KEY (request_id);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT pk_audit PRIMARY KEY (id);
ALTER TABLE ONLY public.browser_sessions
    ADD CONSTRAINT pk_browser_sessions PRIMARY KEY (session_hash);
ALTER TABLE ONLY public.call_logs
    ADD CONSTRAINT pk_call_logs PRIMARY KEY (call_id);
ALTER TABLE ONLY public.calls
    ADD CONSTRAINT pk_calls PRIMARY KEY (id);
ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT pk_drafts PRIMARY KEY (user_id, request_id);
ALTER TABLE ONLY public.embed_sessions
    ADD CONSTRAINT pk_embed_sessions PRIMARY KEY (session_hash);
ALTER TABLE ONLY public.ended_embed_sessions
    ADD CONSTRAINT pk_ended_embed_sessions PRIMARY KEY (session_hash);
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT pk_grants PRIMARY KEY (user_id, server_id);
ALTER TABLE ONLY public.muted_programs
    ADD CONSTRAINT pk_muted_programs PRIMARY KEY (user_id, asker_id);
ALTER TABLE ONLY public.nodes
    ADD CONSTRAINT pk_nodes PRIMARY KEY (id);
ALTER TABLE ONLY public.notice_settings
    ADD CONSTRAINT pk_notice_settings PRIMARY KEY (user_id);
ALTER TABLE ONLY public.notice_targets
    ADD CONSTRAINT pk_notice_targets PRIMARY KEY (id);
ALTER TABLE ONLY public.notices
    ADD CONSTRAINT pk_notices PRIMARY KEY (target_id);
ALTER TABLE ONLY public.pending_sign_ins
    ADD CONSTRAINT pk_pending_sign_ins PRIMARY KEY (id);
ALTER TABLE ONLY public.program_tokens
    ADD CONSTRAINT pk_program_tokens PRIMARY KEY (id);
ALTER TABLE ONLY public.registrations
    ADD CONSTRAINT pk_registrations PRIMARY KEY (user_id, digest);
ALTER TABLE ONLY public.requests
    ADD CONSTRAINT pk_requests PRIMARY KEY (id);
ALTER TABLE ONLY public.sampling_spent
    ADD CONSTRAINT pk_sampling_spent PRIMARY KEY (user_id, server_id, day);
ALTER TABLE ONLY public.saved_sessions
    ADD CONSTRAINT pk_saved_sessions PRIMARY KEY (user_id, server_id);
ALTER TABLE ONLY public.servers
    ADD CONSTRAINT pk_servers PRIMARY KEY (id);
ALTER TABLE ONLY public.step_ups
    ADD CONSTRAINT pk_step_ups PRIMARY KEY (user_id, server_id, scope_digest);
ALTER TABLE ONLY public.task_choices
    ADD CONSTRAINT pk_task_choices PRIMARY KEY (user_id, server_id, tool_digest);
ALTER TABLE ONLY public.used_tokens
    ADD CONSTRAINT pk_used_tokens PRIMARY KEY (digest);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT pk_users PRIMARY KEY (id);
CREATE INDEX ix_answer_webhooks_next_at ON public.answer_webhooks USING btree (next_at);
CREATE INDEX ix_answer_webhooks_user_id ON public.answer_webhooks USING btree (user_id);
CREATE INDEX ix_audit_at ON public.audit USING btree (at);
CREATE INDEX ix_audit_object ON public.audit USING btree (object);
CREATE INDEX ix_audit_user_id ON public.audit USING btree (user_id);
CREATE INDEX ix_browser_sessions_user_id ON public.browser_sessions USING btree (user_id);
CREATE INDEX ix_calls_erased_at_updated_at ON public.calls USING btree (erased_at, updated_at);
CREATE INDEX ix_calls_secrets ON public.calls USING btree (id) WHERE (secrets IS NOT NULL);
CREATE INDEX ix_calls_state_user_id_server_id ON public.calls USING btree (state, user_id, server_id);
CREATE INDEX ix_calls_user_id_created_at_id ON public.calls USING btree (user_id, created_at, id);
CREATE INDEX ix_calls_user_id_server_id_created_at_id ON public.calls USING btree (user_id, server_id, created_at, id);
CREATE INDEX ix_calls_user_id_updated_at_id ON public.calls USING btree (user_id, updated_at, id);
CREATE INDEX ix_embed_sessions_embedder_host_session ON public.embed_sessions USING btree (embedder, host_session);
CREATE INDEX ix_embed_sessions_embedder_subject ON public.embed_sessions USING btree (embedder, subject);
CREATE INDEX ix_embed_sessions_ends_at ON public.embed_sessions USING btree (ends_at);
CREATE INDEX ix_embed_sessions_user_id ON public.embed_sessions USING btree (user_id);
CREATE INDEX ix_ended_embed_sessions_forgotten_at ON public.ended_embed_sessions USING btree (forgotten_at);
CREATE INDEX ix_ended_embed_sessions_user_id ON public.ended_embed_sessions USING btree (user_id);
CREATE INDEX ix_notice_targets_user_id ON public.notice_targets USING btree (user_id);
CREATE INDEX ix_notices_next_at ON public.notices USING btree (next_at);
CREATE INDEX ix_pending_sign_ins_state_hash ON public.pending_sign_ins USING btree (state_hash);
CREATE UNIQUE INDEX ix_pending_sign_ins_user_id_server_id ON public.pending_sign_ins USING btree (user_id, server_id);
CREATE INDEX ix_program_tokens_token_hash ON public.program_tokens USING btree (token_hash);
CREATE INDEX ix_program_tokens_user_id ON public.program_tokens USING btree (user_id);
CREATE INDEX ix_requests_call_id ON public.requests USING btree (call_id);
CREATE INDEX ix_requests_erased_at_settled_at ON public.requests USING btree (erased_at, settled_at);
CREATE INDEX ix_requests_hosted ON public.requests USING btree (user_id, server_id, created_at, id) WHERE (hosted_task_id IS NOT NULL);
CREATE INDEX ix_requests_hosted_task_id ON public.requests USING btree (hosted_task_id) WHERE (hosted_task_id IS NOT NULL);
CREATE INDEX ix_requests_opened ON public.requests USING btree (user_id, server_id, created_at) WHERE (opened_at IS NOT NULL);
CREATE INDEX ix_requests_possible_calls ON public.requests USING btree (user_id, created_at) WHERE (possible_calls IS NOT NULL);
CREATE INDEX ix_requests_secrets ON public.requests USING btree (id) WHERE (secrets IS NOT NULL);
CREATE INDEX ix_requests_sending ON public.requests USING btree (id) WHERE ((delivery)::text = 'sending'::text);
CREATE INDEX ix_requests_state_expires_at ON public.requests USING btree (state, expires_at);
CREATE INDEX ix_requests_user_id_created_at_position_id ON public.requests USING btree (user_id, created_at, "position", id);
CREATE INDEX ix_requests_user_id_server_id_created_at_position_id ON public.requests USING btree (user_id, server_id, created_at, "position", id);
CREATE INDEX ix_requests_user_id_server_id_digest ON public.requests USING btree (user_id, server_id, digest);
CREATE INDEX ix_requests_user_id_settled_at_id ON public.requests USING btree (user_id, settled_at, id);
CREATE INDEX ix_requests_user_id_state_created_at ON public.requests USING btree (user_id, state, created_at);
CREATE INDEX ix_requests_user_id_state_server_id ON public.requests USING btree (user_id, state, server_id);
CREATE INDEX ix_servers_user_id ON public.servers USING btree (user_id);
CREATE INDEX ix_used_tokens_expires_at ON public.used_tokens USING btree (expires_at);
CREATE INDEX ix_users_created_at_id ON public.users USING btree (created_at, id);
CREATE INDEX ix_users_disabled ON public.users USING btree (id) WHERE (disabled_at IS NOT NULL);
CREATE UNIQUE INDEX ix_users_issuer_subject ON public.users USING btree (issuer, subject);
