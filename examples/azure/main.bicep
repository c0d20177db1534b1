// Ibid over Azure AI Search in Container Apps: search service, private storage for pictures, one identity with the roles of
// docs/azure.md, sign-in through Entra ID, health probes, scale rules and a budget. README.md beside this file has the steps.

targetScope = 'resourceGroup'

@description('Begins every name. Small letters and digits. With the suffix, a storage account has at most 24.')
@minLength(3)
@maxLength(11)
param prefix string = 'ibid'

param location string = resourceGroup().location

@description('The image of the root Dockerfile, built with LOCK=azure, such as NAME.azurecr.io/ibid:1.')
param image string

@description('The container registry in this resource group that holds the image.')
param registryName string

@description('Application (client) id of the app registration for the server.')
param applicationId string

@description('Another host name that clients use, such as ibid.example.org. Empty: the one of Container Apps.')
param hostName string = ''

@description('Object id of the person or the pipeline that creates the indexes and pushes. Empty: nobody.')
param publisherId string = ''

@description('User or ServicePrincipal.')
@allowed(['User', 'ServicePrincipal'])
param publisherType string = 'User'

@description('Seals addresses and sessions, the same in every replica. At least 32 characters: openssl rand -hex 32.')
@secure()
@minLength(32)
param httpKeys string

@description('Tier of the search service. The semantic ranker needs basic or more.')
@allowed(['basic', 'standard', 'standard2'])
param searchTier string = 'basic'

@description('Offer rag_show_page: only after ibid azure push --pages.')
param pages bool = false

@minValue(1)
param minReplicas int = 1

@minValue(1)
param maxReplicas int = 4

@description('A month, in the currency of the subscription.')
@minValue(1)
param budgetAmount int = 300

@description('Who is told when the budget is nearly used up.')
param budgetEmails array

@description('First day of a month, from which the budget counts.')
param budgetStart string = utcNow('yyyy-MM-01')

var suffix = uniqueString(resourceGroup().id)
var containerName = 'pictures'
var appName = '${prefix}-server'
var host = empty(hostName) ? '${appName}.${environment.properties.defaultDomain}' : hostName
var endpoint = 'https://${host}/mcp'
var storageUrl = '${storage.properties.primaryEndpoints.blob}${containerName}'

var roles = {
  searchIndexDataReader: '1407120a-92aa-4202-b7e9-c0e197c71c8f'
  searchIndexDataContributor: '8ebe5a00-799e-43f5-93ac-243d3dce84a7'
  searchServiceContributor: '7ca78c08-252a-4471-8644-bb5ff32d4ba0'
  storageBlobDataReader: '2a2b9908-6ea1-4ae2-8e65-a410df84e7d1'
  storageBlobDelegator: 'db58b8e5-c6ad-4a2a-8342-4190687cbf4a'
  storageBlobDataContributor: 'ba92f5b4-2d11-453d-a403-e96b0029c9fe'
  acrPull: '7f951dda-4ed3-4680-a7ca-43fe172d538d'
}

resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: '${prefix}-identity'
  location: location
}

resource search 'Microsoft.Search/searchServices@2023-11-01' = {
  name: '${prefix}-search-${suffix}'
  location: location
  sku: { name: searchTier }
  properties: {
    replicaCount: 1
    partitionCount: 1
    semanticSearch: 'free'
    disableLocalAuth: true // no keys: roles alone
  }
}

resource storage 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: '${prefix}${suffix}'
  location: location
  kind: 'StorageV2'
  sku: { name: 'Standard_ZRS' }
  properties: {
    allowBlobPublicAccess: false
    allowSharedKeyAccess: false // addresses are signed by user delegation keys
    minimumTlsVersion: 'TLS1_2'
    supportsHttpsTrafficOnly: true
  }
}

resource blobs 'Microsoft.Storage/storageAccounts/blobServices@2023-05-01' = {
  parent: storage
  name: 'default'
}

resource pictures 'Microsoft.Storage/storageAccounts/blobServices/containers@2023-05-01' = {
  parent: blobs
  name: containerName
  properties: { publicAccess: 'None' }
}

resource registry 'Microsoft.ContainerRegistry/registries@2023-07-01' existing = {
  name: registryName
}

// The server: reads the indexes and the pictures, and signs addresses.

resource reads 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(search.id, identity.id, roles.searchIndexDataReader)
  scope: search
  properties: {
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.searchIndexDataReader)
  }
}

resource readsPictures 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(pictures.id, identity.id, roles.storageBlobDataReader)
  scope: pictures
  properties: {
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.storageBlobDataReader)
  }
}

resource signs 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(storage.id, identity.id, roles.storageBlobDelegator)
  scope: storage
  properties: {
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.storageBlobDelegator)
  }
}

resource pulls 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(registry.id, identity.id, roles.acrPull)
  scope: registry
  properties: {
    principalId: identity.properties.principalId
    principalType: 'ServicePrincipal'
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.acrPull)
  }
}

// Whoever publishes: creates the indexes, pushes documents and pictures.

resource createsIndexes 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(publisherId)) {
  name: guid(search.id, publisherId, roles.searchServiceContributor)
  scope: search
  properties: {
    principalId: publisherId
    principalType: publisherType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.searchServiceContributor)
  }
}

resource pushes 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(publisherId)) {
  name: guid(search.id, publisherId, roles.searchIndexDataContributor)
  scope: search
  properties: {
    principalId: publisherId
    principalType: publisherType
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roles.searchIndexDataContributor)
  }
}

resource publishesPictures 'Microsoft.Authorization/roleAssignments@2022-04-01' = if (!empty(publisherId)) {
  name: guid(pictures.id, publisherId, roles.storageBlobDataContributor)
  scope: pictures
  properties: {
    principalId: publisherId
    principalType: publisherType
    roleDefinitionId: subscriptionResourceId(
      'Microsoft.Authorization/roleDefinitions',
      roles.storageBlobDataContributor
    )
  }
}

resource logs 'Microsoft.OperationalInsights/workspaces@2023-09-01' = {
  name: '${prefix}-logs'
  location: location
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: 30
  }
}

resource environment 'Microsoft.App/managedEnvironments@2024-03-01' = {
  name: '${prefix}-environment'
  location: location
  properties: {
    appLogsConfiguration: {
      destination: 'log-analytics'
      logAnalyticsConfiguration: {
        customerId: logs.properties.customerId
        sharedKey: logs.listKeys().primarySharedKey
      }
    }
  }
}

resource server 'Microsoft.App/containerApps@2024-03-01' = {
  name: appName
  location: location
  identity: {
    type: 'UserAssigned'
    userAssignedIdentities: { '${identity.id}': {} }
  }
  properties: {
    managedEnvironmentId: environment.id
    configuration: {
      activeRevisionsMode: 'Single'
      ingress: {
        external: true
        targetPort: 8000
        transport: 'http'
        allowInsecure: false
        stickySessions: { affinity: 'sticky' } // older clients keep a session in one replica
      }
      registries: [{ server: registry.properties.loginServer, identity: identity.id }]
      secrets: [{ name: 'http-keys', value: httpKeys }]
    }
    template: {
      containers: [
        {
          name: 'ibid'
          image: image
          resources: { cpu: json('1.0'), memory: '2Gi' }
          env: [
            { name: 'RAG_BACKEND', value: 'azure' }
            { name: 'AZURE_SEARCH_ENDPOINT', value: 'https://${search.name}.search.windows.net' }
            { name: 'AZURE_SEARCH_CONTENT_INDEX', value: 'content-blocks' }
            { name: 'AZURE_SEARCH_DOCUMENTS_INDEX', value: 'documents-metadata' }
            { name: 'AZURE_STORAGE_CONTAINER_URL', value: storageUrl }
            { name: 'AZURE_CLIENT_ID', value: identity.properties.clientId } // which identity signs in
            { name: 'RAG_AZURE_PAGES', value: string(pages) }
            // The role of the server may not read how the indexes are made, so these say it. `ibid azure create-indexes`
            // prints the values for your indexes.
            { name: 'RAG_PRINCIPAL_PREFIXES', value: 'true' }
            { name: 'RAG_AZURE_VECTOR_FIELDS', value: 'content_vector,image_caption_vector' }
            { name: 'RAG_AZURE_SEMANTIC_CONFIG', value: 'ibid' }
            { name: 'RAG_EMBEDDER', value: 'packaged' }
            { name: 'RAG_AZURE_EMBEDDER', value: 'multilingual-e5-small-q4-1571fc982750' }
            { name: 'RAG_HTTP_PUBLIC_URL', value: endpoint }
            { name: 'RAG_HTTP_ALLOWED_HOSTS', value: host }
            { name: 'RAG_HTTP_KEYS', secretRef: 'http-keys' }
            { name: 'RAG_AUTH_PRESET', value: 'entra' }
            { name: 'RAG_AUTH_ISSUER', value: '${az.environment().authentication.loginEndpoint}${tenant().tenantId}/v2.0' }
            { name: 'RAG_AUTH_AUDIENCE', value: '${applicationId},${endpoint}' }
            { name: 'RAG_AUTH_SCOPE', value: '${endpoint}/rag.read' }
            { name: 'RAG_LOG_LEVEL', value: 'INFO' }
            { name: 'RAG_LOG_QUERIES', value: 'false' }
          ]
          probes: [
            {
              type: 'Startup'
              httpGet: { path: '/healthz', port: 8000 }
              periodSeconds: 5
              failureThreshold: 24
            }
            {
              type: 'Liveness'
              httpGet: { path: '/healthz', port: 8000 }
              periodSeconds: 30
              timeoutSeconds: 5
            }
            {
              type: 'Readiness'
              httpGet: { path: '/readyz', port: 8000 }
              periodSeconds: 10
              timeoutSeconds: 5
            }
          ]
        }
      ]
      scale: {
        minReplicas: minReplicas
        maxReplicas: maxReplicas
        rules: [{ name: 'requests', http: { metadata: { concurrentRequests: '10' } } }]
      }
    }
  }
  dependsOn: [pulls, reads, readsPictures, signs]
}

resource budget 'Microsoft.Consumption/budgets@2023-11-01' = {
  name: '${prefix}-budget'
  properties: {
    category: 'Cost'
    amount: budgetAmount
    timeGrain: 'Monthly'
    timePeriod: { startDate: budgetStart }
    notifications: {
      nearlyUsed: {
        enabled: true
        operator: 'GreaterThan'
        threshold: 80
        contactEmails: budgetEmails
      }
      forecastOver: {
        enabled: true
        operator: 'GreaterThan'
        threshold: 100
        thresholdType: 'Forecasted'
        contactEmails: budgetEmails
      }
    }
  }
}

output endpoint string = endpoint
output searchEndpoint string = 'https://${search.name}.search.windows.net'
output containerUrl string = storageUrl
